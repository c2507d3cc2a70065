#include "apps/bucket_sort/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "apps/bucket_sort/splitters.hpp"
#include "apps/common/choose.hpp"
#include "apps/common/whole_number.hpp"
#include "apps/spmd/command_line.hpp"

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

constexpr Choices<RunPart, 2> run_parts{{{"whole", RunPart::whole}, {"parallel", RunPart::parallel}}};
constexpr Choices<Verification, 2> verifications{
    {{"full", Verification::full}, {"none", Verification::none}}};

template <class Infos>
std::string help_of(std::string text, const Infos& infos) {
  for (const auto& info : infos) text += fmt::format("\n{}: {}", info.name, info.description);
  return text;
}

void describe(CLI::App& app, Words& words) {
  const auto add = [&](const char* name, std::string& word, const char* type, const std::string& text) {
    return app.add_option(name, word, text)->type_name(type)->capture_default_str();
  };
  add("--size", words.size, "N", "how many keys, of 64 bits each")->group(spmd::data_group);
  add("--keys", words.keys, "NAME", help_of("how they are distributed:", key_distributions()))
      ->group(spmd::data_group);
  add("--split", words.split, "NAME", help_of("what goes into which rank's bucket:", splits()))
      ->group(spmd::computing_group);
  add("--part", words.part, "NAME",
      "what is run: the whole (rank 0 deals out the keys and collects them), or the\n"
      "parallel part (they are on their ranks, and stay)")
      ->group(spmd::computing_group);
  add("--verify", words.verification, "HOW", "full (all in order, and the same keys as before), none")
      ->group(spmd::computing_group);
}

void describe_tests(CLI::App& app, Words& words) {
  app.add_option("--spoil", words.spoil, "spoil a key on this rank, to see verification find it")
      ->type_name("RANK")
      ->group(testing_group);
}

std::optional<Index> rank(const std::string& word) {
  if (word.empty()) return std::nullopt;
  return whole_number("--spoil", word, 0);
}

SortOptions interpret(const spmd::CommandLine& common, const Words& words) {
  constexpr Index most = std::numeric_limits<int>::max();  // what MPI counts to
  SortOptions options;
  options.run = common.read();
  options.size = whole_number("--size", words.size, 1, most);
  options.keys = find_keys(words.keys).name;
  options.split = find_split(words.split).name;
  options.part = choose("--part", words.part, run_parts);
  options.verification = choose("--verify", words.verification, verifications);
  options.spoil_rank = rank(words.spoil);
  return options;
}

}  // namespace

std::optional<SortOptions> read_command_line(int argc, const char* const* argv) {
  CLI::App app(
      "Sort keys in parallel, a bucket a rank, which it sorts in small buckets by std::sort,\n"
      "on any number of MPI ranks:\n"
      "  mpirun -np 4 bucket_sort --size 10000000",
      "bucket_sort");
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

}  // namespace loadshare::bucket_sort
