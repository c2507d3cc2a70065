#include "apps/floyd/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/common/choose.hpp"
#include "apps/common/number.hpp"
#include "apps/common/whole_number.hpp"
#include "apps/spmd/command_line.hpp"

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

constexpr Choices<RunPart, 2> run_parts{{{"whole", RunPart::whole}, {"parallel", RunPart::parallel}}};
constexpr Choices<Verification, 3> verifications{
    {{"sample", Verification::sample}, {"full", Verification::full}, {"none", Verification::none}}};

void describe(CLI::App& app, Words& words) {
  const auto add = [&](const char* name, std::string& word, const char* type, const char* text) {
    return app.add_option(name, word, text)->type_name(type)->capture_default_str();
  };
  add("--size", words.size, "N", "vertices of the random directed graph")->group(spmd::data_group);
  add("--density", words.density, "SHARE", "of all pairs of vertices, those with an edge")
      ->group(spmd::data_group);
  add("--part", words.part, "NAME",
      "what is run: the whole (rank 0 deals out the rows and collects them), or the\n"
      "parallel part (they are on their ranks, and stay)")
      ->group(spmd::computing_group);
  add("--verify", words.verification, "HOW",
      "sample (the paths from 16 vertices, by Dijkstra's algorithm), full (from all), none")
      ->group(spmd::computing_group);
}

void describe_tests(CLI::App& app, Words& words) {
  app.add_option("--spoil", words.spoil, "spoil a path from this vertex, to see --verify full find it")
      ->type_name("VERTEX")
      ->group(testing_group);
}

double share(const char* option, const std::string& text) {
  const double value = number(option, text);
  if (!(value >= 0 && value <= 1))
    throw UsageError(fmt::format("{} is {}", option, text), "it is a share, from 0 to 1");
  return value;
}

std::optional<Index> vertex(const std::string& word, Index size) {
  if (word.empty()) return std::nullopt;
  return whole_number("--spoil", word, 0, size - 1);
}

FloydOptions interpret(const spmd::CommandLine& common, const Words& words) {
  FloydOptions options;
  options.run = common.read();
  options.size = whole_number("--size", words.size, 1, most_vertices);
  options.density = share("--density", words.density);
  options.part = choose("--part", words.part, run_parts);
  options.verification = choose("--verify", words.verification, verifications);
  options.spoil_vertex = vertex(words.spoil, options.size);
  return options;
}

}  // namespace

std::optional<FloydOptions> read_command_line(int argc, const char* const* argv) {
  CLI::App app(
      "Find the shortest paths between all vertices of a graph by Floyd's algorithm, the rows\n"
      "of its matrix split among MPI ranks:\n"
      "  mpirun -np 4 floyd --size 2000",
      "floyd");
  app.set_version_flag("--version", LOADSHARE_VERSION);
  spmd::CommandLine common;
  Words words;
  describe(app, words);
  common.add_to(app);
  describe_tests(app, words);
  if (!parse_command_line(app, argc, argv)) return std::nullopt;
  return interpret(common, words);
}

std::string name_of(RunPart part) {
  return name_among(run_parts, part);
}

std::string name_of(Verification verification) {
  return name_among(verifications, verification);
}

}  // namespace loadshare::floyd
