#include "apps/floyd/options.hpp"

#include <fmt/format.h>

#include "apps/spmd/command_line.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::floyd {

namespace {

/// What the command line says, as words.
struct Words {
  std::string size = "1000";
  std::string density = "0.1";
  std::string part = "whole";
  std::string verification = "sample";
  std::string spoil;
};

constexpr Choices<Verification, 3> verifications{
    {{"sample", Verification::sample}, {"full", Verification::full}, {"none", Verification::none}}};

void describe(CommandLineParser& parser, Words& words) {
  const OptionGroup data = parser.group(spmd::data_group);
  data.add("--size", words.size, "N", "vertices of the random directed graph");
  data.add("--density", words.density, "SHARE", "of all pairs of vertices, those with an edge");
  const OptionGroup computing = parser.group(spmd::computing_group);
  spmd::add_run_part(computing, words.part, "the rows");
  computing.add("--verify", words.verification, "HOW",
                "sample (the paths from 16 vertices, by Dijkstra's algorithm), full (from all), none");
}

void describe_tests(CommandLineParser& parser, Words& words) {
  parser.group(testing_group)
      .add("--spoil", words.spoil, "VERTEX", "spoil a path from this vertex, to see --verify full find it");
}

double share(const char* option, const std::string& text) {
  const double value = number(option, text);
  if (!(value >= 0 && value <= 1))
    throw UsageError(fmt::format("{} is {}", option, text), "it is a share, from 0 to 1");
  return value;
}

FloydOptions interpret(const spmd::CommandLine& common, const Words& words) {
  FloydOptions options;
  options.run = common.read();
  options.size = whole_number("--size", words.size, 1, most_vertices);
  options.density = share("--density", words.density);
  options.part = spmd::parse_run_part(words.part);
  options.verification = choose("--verify", words.verification, verifications);
  options.spoil_vertex = optional_whole_number("--spoil", words.spoil, 0, options.size - 1);
  return options;
}

}  // namespace

std::optional<FloydOptions> read_command_line(int argc, const char* const* argv) {
  CommandLineParser parser(
      "floyd",
      "Find the shortest paths between all vertices of a graph by Floyd's algorithm, the rows\n"
      "of its matrix split among MPI ranks:\n"
      "  mpirun -q -np 4 floyd --size 2000");
  spmd::CommandLine common;
  Words words;
  describe(parser, words);
  common.add_to(parser);
  describe_tests(parser, words);
  if (!parser.parse(argc, argv)) return std::nullopt;
  return interpret(common, words);
}

std::string name_of(Verification verification) {
  return name_among(verifications, verification);
}

}  // namespace loadshare::floyd
