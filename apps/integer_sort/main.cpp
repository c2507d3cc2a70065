#include <fmt/format.h>

#include "apps/integer_sort/benchmark.hpp"
#include "apps/integer_sort/verify.hpp"
#include "apps/spmd/command_line.hpp"
#include "base/io/text.hpp"

namespace loadshare::integer_sort {
namespace {

constexpr Choices<Verification, 2> verifications{
    {{"full", Verification::full}, {"none", Verification::none}}};

Form<std::string> class_form() {
  return {[](std::string_view, const std::string& word) { return std::string(find_class(word).name); },
          [](const std::string& name) { return name; }};
}

std::optional<SortOptions> read_command_line(int argc, const char* const* argv) {
  SortOptions options;
  options.run.seed = Generator::seed;
  CommandLineParser parser(
      "integer_sort",
      "The NAS Parallel Benchmark IS: rank whole numbers ten times, by buckets, on a power of\n"
      "two of MPI ranks:\n"
      "  mpirun -q -np 4 integer_sort --class A");
  parser.group(spmd::data_group)
      .add("--class", options.problem, class_form(), "NAME",
           table_help("the size of the problem:", problem_classes()) +
               "\n2^13 to 2^27: that many keys, all below a sixteenth of the number; no test keys");
  parser.group(spmd::computing_group)
      .add("--verify", options.verification, verifications, "HOW",
           "full (ranks of test keys in every iteration; at the end all in order, and the "
           "same keys as before), none");
  spmd::add_options(parser, options.run, spmd::DataSource::fixed);
  parser.group(testing_group)
      .add("--spoil", options.spoiled_iteration, whole(1, iterations), "ITERATION",
           "spoil a key before this iteration, to see verification find it");
  if (!parser.parse(argc, argv)) return std::nullopt;
  return options;
}

void complete(RunRecord& record, const SortOptions& options) {
  record.iteration_name = "keys";
  record.options["class"] = options.problem;
  record.options["verify"] = name_among(verifications, options.verification);
}

/// Counts two timed steps equally, once per iteration: putting the first keys into buckets, and ranking the
/// received keys.
void add_work(RunRecord& record, spmd::Session& session, const Benchmark& benchmark) {
  const Index handled = benchmark.handled();
  const std::vector<Index> of_ranks = session.exchange().all_gather(std::span(&handled, 1));
  for (std::size_t i = 0; i < record.ranks.size(); ++i)
    record.ranks[i].work = static_cast<double>(of_ranks[i]);
}

void add_problem(RunRecord& record, const ProblemClass& problem) {
  record.findings.push_back(
      {"keys", problem.keys, "class",
       fmt::format("{}: {} keys below {}",
                   problem.knows_tests ? std::string(problem.name) + " of NPB IS" : "not a class of NPB IS",
                   grouped_text(problem.keys), grouped_text(problem.max_key))});
}

/// As the benchmark counts: one operation is a key ranked once.
void add_rate(RunRecord& record, const ProblemClass& problem) {
  if (record.makespan_s <= 0) return;
  const double mops = static_cast<double>(iterations * problem.keys) / record.makespan_s / 1e6;
  record.findings.push_back({"mops", mops, "rate", fmt::format("{:.2f} Mop/s", mops)});
}

Verdict judge(RunRecord& record, const ProblemClass& problem, const Outcome& found) {
  if (problem.knows_tests)
    record.findings.push_back({"partial_checks_passed", found.passed, "partial",
                               fmt::format("{} of {} checks passed", found.passed, PartialChecks::count)});
  record.findings.push_back(
      {"full_verification", found.full.empty(), "full", found.full.empty() ? "yes" : "NO"});
  const char* both = found.partial.empty() || found.full.empty() ? "" : "; ";
  const std::string wrong = found.partial + both + found.full;
  return verdict_of(wrong);
}

/// Runs the benchmark: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; if
/// verification fails, Error (run_failed) after the record was reported.
void run_job(const SortOptions& options) {
  spmd::Session session(options.run, {"integer_sort", "iterations", "--class"});
  Benchmark benchmark(options, session);
  RunRecord record = session.run([&] { return benchmark.run(); });
  add_work(record, session, benchmark);
  add_problem(record, benchmark.problem());
  add_rate(record, benchmark.problem());
  Verdict verdict;
  if (options.verification == Verification::full)
    verdict = judge(record, benchmark.problem(), verify(benchmark, session.exchange()));
  complete(record, options);
  session.finish(std::move(record), verdict);
}

}  // namespace
}  // namespace loadshare::integer_sort

int main(int argc, char** argv) {
  using namespace loadshare::integer_sort;
  return loadshare::spmd::run_app(argc, argv, read_command_line, run_job);
}
