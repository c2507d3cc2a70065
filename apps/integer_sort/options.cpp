#include "apps/integer_sort/options.hpp"

#include "apps/integer_sort/keys.hpp"
#include "apps/spmd/command_line.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::integer_sort {

namespace {

/// What the command line says, as words.
struct Words {
  std::string problem = "S";
  std::string verification = "full";
  std::string spoil;
};

constexpr Choices<Verification, 2> verifications{
    {{"full", Verification::full}, {"none", Verification::none}}};

void describe(CommandLineParser& parser, Words& words) {
  parser.group(spmd::data_group)
      .add("--class", words.problem, "NAME", table_help("the size of the problem:", problem_classes()));
  parser.group(spmd::computing_group)
      .add("--verify", words.verification, "HOW",
           "full (ranks of test keys in every iteration; at the end all in order, and the\n"
           "same keys as before), none");
}

void describe_tests(CommandLineParser& parser, Words& words) {
  parser.group(testing_group)
      .add("--spoil", words.spoil, "ITERATION",
           "spoil a key before this iteration, to see verification find it");
}

SortOptions interpret(const spmd::CommandLine& common, const Words& words) {
  SortOptions options;
  options.run = common.read();
  options.run.seed = Generator::seed;
  options.problem = find_class(words.problem).name;
  options.verification = choose("--verify", words.verification, verifications);
  options.spoiled_iteration = optional_whole_number("--spoil", words.spoil, 1, iterations);
  return options;
}

}  // namespace

std::optional<SortOptions> read_command_line(int argc, const char* const* argv) {
  CommandLineParser parser(
      "integer_sort",
      "The NAS Parallel Benchmark IS: rank whole numbers ten times, by buckets, on a power of\n"
      "two of MPI ranks:\n"
      "  mpirun -q -np 4 integer_sort --class A");
  spmd::CommandLine common;
  Words words;
  describe(parser, words);
  common.add_to(parser, spmd::DataSource::fixed);
  describe_tests(parser, words);
  if (!parser.parse(argc, argv)) return std::nullopt;
  return interpret(common, words);
}

std::string name_of(Verification verification) {
  return name_among(verifications, verification);
}

}  // namespace loadshare::integer_sort
