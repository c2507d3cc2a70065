#include "apps/bucket_sort/options.hpp"

#include <limits>

#include "apps/bucket_sort/splitters.hpp"
#include "apps/spmd/command_line.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::bucket_sort {

namespace {

/// What the command line says, as words.
struct Words {
  std::string size = "1000000";
  std::string keys = "uniform";
  std::string split = "range";
  std::string part = "whole";
  std::string verification = "full";
  std::string spoil;
};

constexpr Choices<Verification, 2> verifications{
    {{"full", Verification::full}, {"none", Verification::none}}};

void describe(CommandLineParser& parser, Words& words) {
  const OptionGroup data = parser.group(spmd::data_group);
  data.add("--size", words.size, "N", "how many keys, of 64 bits each");
  data.add("--keys", words.keys, "NAME", table_help("how they are distributed:", key_distributions()));
  const OptionGroup computing = parser.group(spmd::computing_group);
  computing.add("--split", words.split, "NAME", table_help("what goes into which rank's bucket:", splits()));
  spmd::add_run_part(computing, words.part, "the keys");
  computing.add("--verify", words.verification, "HOW",
                "full (all in order, and the same keys as before), none");
}

void describe_tests(CommandLineParser& parser, Words& words) {
  parser.group(testing_group)
      .add("--spoil", words.spoil, "RANK", "spoil a key on this rank, to see verification find it");
}

SortOptions interpret(const spmd::CommandLine& common, const Words& words) {
  constexpr Index most = std::numeric_limits<int>::max();  // what MPI counts to
  SortOptions options;
  options.run = common.read();
  options.size = whole_number("--size", words.size, 1, most);
  options.keys = find_keys(words.keys).name;
  options.split = find_split(words.split).name;
  options.part = spmd::parse_run_part(words.part);
  options.verification = choose("--verify", words.verification, verifications);
  options.spoil_rank = optional_whole_number("--spoil", words.spoil, 0);
  return options;
}

}  // namespace

std::optional<SortOptions> read_command_line(int argc, const char* const* argv) {
  CommandLineParser parser(
      "bucket_sort",
      "Sort keys in parallel, a bucket a rank, which it sorts in small buckets by std::sort,\n"
      "on any number of MPI ranks:\n"
      "  mpirun -q -np 4 bucket_sort --size 10000000");
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

}  // namespace loadshare::bucket_sort
