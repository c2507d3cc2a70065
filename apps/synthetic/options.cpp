#include "apps/synthetic/options.hpp"

#include <fmt/format.h>

#include "apps/synthetic/costs/table.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::synthetic {

namespace {

// Sizes stay far from overflow; no machine has so much memory.
constexpr Index most_bytes = Index{1} << 40;
constexpr Index most_iterations = Index{1} << 40;
constexpr Index most_rounds_per_second = Index{1} << 40;

/// What the command line says, as words.
struct Words {
  std::string iterations = "10000";
  std::string cost = "gamma:mean=200us,cv=0.5";
  std::string how = "busy";
  std::string rounds;
  std::string input = "5760", output = "5760";  // a column of the load-sharing paper's matrices
  std::string shared = "0";
  std::string seed = "1";
  std::string spoil;
};

void describe_loop(const OptionGroup& group, Words& words) {
  group.add("--iterations", words.iterations, "N", "how many");
  group.add("--cost", words.cost, "SPEC", "what each costs: distribution and parameters; `help` lists them");
  group.add("--how", words.how, "HOW", table_help("how the cost is spent:", effort_entries()));
  group.add("--rounds-per-second", words.rounds, "N",
            "of busy: rounds in a second of cost; if not given, it is measured");
  group.add("--input-bytes", words.input, "N", "that travel to the worker, an iteration");
  group.add("--output-bytes", words.output, "N", "that travel back, an iteration; all are verified");
  group.add("--shared-bytes", words.shared, "N", "that every host needs before its first chunk");
  group.add("--seed", words.seed, "N", "of costs and data");
}

void describe_tests(CommandLineParser& parser, Words& words) {
  parser.group(testing_group)
      .add("--spoil", words.spoil, "ITERATION", "spoil this iteration's result, to see verification find it");
}

LoopSizes read_sizes(const Words& words) {
  const auto bytes = [](const char* option, const std::string& word) {
    return static_cast<std::size_t>(whole_number(option, word, 0, most_bytes));
  };
  return {
      .iterations = whole_number("--iterations", words.iterations, 0, most_iterations),
      .input_bytes = bytes("--input-bytes", words.input),
      .output_bytes = bytes("--output-bytes", words.output),
      .shared_bytes = bytes("--shared-bytes", words.shared),
      .seed = static_cast<std::uint64_t>(whole_number("--seed", words.seed, 0)),
  };
}

std::optional<std::uint64_t> read_rounds(const Words& words, const EffortEntry& effort) {
  if (words.rounds.empty()) return std::nullopt;
  if (!effort.is_busy)
    throw UsageError("--rounds-per-second is given", fmt::format("--how {} computes none", effort.name),
                     "leave it out");
  return static_cast<std::uint64_t>(
      whole_number("--rounds-per-second", words.rounds, 1, most_rounds_per_second));
}

std::optional<Index> read_spoil(const Words& words, const LoopSizes& sizes) {
  if (words.spoil.empty()) return std::nullopt;
  const Index iteration = whole_number("--spoil", words.spoil, 0);
  if (iteration >= sizes.iterations)
    throw UsageError(fmt::format("--spoil is {}", iteration),
                     fmt::format("the loop has {} iterations, from 0", sizes.iterations));
  if (sizes.output_bytes == 0)
    throw UsageError(fmt::format("--spoil is {}", iteration), "without output bytes there is no result",
                     "give --output-bytes");
  return iteration;
}

void require_own_reports(const SyntheticOptions& options) {
  const auto costs = options.cost.values.find("path");
  require_own_files({{"--cost", costs == options.cost.values.end() ? "" : costs->second}},
                    {{"--json", options.run.json}, {"--trace", options.run.trace}});
}

SyntheticOptions interpret(const FarmCommandLine& farm, const Words& words) {
  SyntheticOptions options{.run = farm.read(),
                           .sizes = read_sizes(words),
                           .cost = parse_cost(words.cost),
                           .effort = effort_entry(words.how),
                           .rounds_per_second = {},
                           .spoil = {}};
  options.rounds_per_second = read_rounds(words, options.effort);
  options.spoil = read_spoil(words, options.sizes);
  require_own_reports(options);
  return options;
}

/// Whether a table was asked for, and printed.
bool has_answered(const FarmCommandLine& farm, const Words& words) {
  if (farm.has_answered()) return true;
  if (words.cost != "help") return false;
  answer("the costs", cost_help());
  return true;
}

}  // namespace

std::optional<SyntheticOptions> read_command_line(int argc, const char* const* argv) {
  CommandLineParser parser(
      "synthetic",
      "Share a loop whose iterations cost what you say among workers.\n"
      "Alone it uses threads of this machine; under mpirun or srun, all its ranks:\n"
      "  mpirun -q -np 4 synthetic --iterations 1000 --cost exponential:2ms --scheduler gss");
  FarmCommandLine farm;
  Words words;
  describe_loop(parser.group("The loop"), words);
  farm.add_to(parser);
  describe_tests(parser, words);
  if (!parser.parse(argc, argv) || has_answered(farm, words)) return std::nullopt;
  return interpret(farm, words);
}

}  // namespace loadshare::synthetic
