#include <fmt/format.h>

#include <limits>
#include <span>

#include "apps/bucket_sort/sort.hpp"
#include "apps/bucket_sort/verify.hpp"
#include "apps/spmd/command_line.hpp"
#include "base/error.hpp"

namespace loadshare::bucket_sort {
namespace {

constexpr Choices<Verification, 2> verifications{
    {{"full", Verification::full}, {"none", Verification::none}}};

std::optional<SortOptions> read_command_line(int argc, const char* const* argv) {
  constexpr Index most = std::numeric_limits<int>::max();  // the largest count of MPI
  SortOptions options;
  CommandLineParser parser(
      "bucket_sort",
      "Sort keys in parallel on any number of MPI ranks. Each rank has a bucket of the keys,\n"
      "and sorts it in small buckets by std::sort:\n"
      "  mpirun -q -np 4 bucket_sort --size 10000000");
  const OptionGroup data = parser.group(spmd::data_group);
  data.add("--size", options.size, whole(1, most), "N", "number of keys, of 64 bits each");
  data.add("--keys", options.keys, row_of(key_distributions(), "--keys"), "NAME",
           table_help("how they are distributed:", key_distributions()));
  const OptionGroup computing = parser.group(spmd::computing_group);
  computing.add("--split", options.split, row_of(splits(), "--split"), "NAME",
                table_help("how keys are assigned to ranks' buckets:", splits()));
  spmd::add_run_part(computing, options.part, "the keys");
  computing.add("--verify", options.verification, verifications, "HOW",
                "full (all in order, and the same keys as before), none");
  spmd::add_options(parser, options.run);
  parser.group(testing_group)
      .add("--spoil", options.spoil_rank, whole(0), "RANK",
           "spoil a key on this rank, to see verification find it");
  if (!parser.parse(argc, argv)) return std::nullopt;
  return options;
}

void require_spoilable(const SortOptions& options, int ranks) {
  const Index holders = options.part == spmd::RunPart::whole ? 1 : ranks;
  if (options.spoil_rank && *options.spoil_rank >= holders)
    throw UsageError(
        fmt::format("--spoil is {}", *options.spoil_rank),
        fmt::format("sorted keys end up on {} rank{}, from 0", holders, holders == 1 ? "" : "s"));
}

void spoil(Sort& sort) {
  if (!sort.result().empty()) sort.result().front() ^= 1;
}

void complete(RunRecord& record, const SortOptions& options) {
  record.iteration_name = "keys";
  record.options["size"] = options.size;
  record.options["keys"] = options.keys;
  record.options["split"] = options.split;
  record.options["part"] = name_among(spmd::run_parts, options.part);
  record.options["verify"] = name_among(verifications, options.verification);
}

/// Counts two timed steps equally: putting a rank's first keys into buckets, and sorting its own bucket.
void add_work(RunRecord& record, spmd::Session& session, const Sort& sort) {
  const Index partitioned = sort.places().size;
  const std::vector<Index> of_ranks = session.exchange().all_gather(std::span(&partitioned, 1));
  for (std::size_t i = 0; i < record.ranks.size(); ++i)
    record.ranks[i].work = static_cast<double>(of_ranks[i] + record.ranks[i].iterations);
}

/// Runs a sort: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; if verification
/// fails, Error (run_failed) after the record was reported.
void run_job(const SortOptions& options) {
  spmd::Session session(options.run, {"bucket_sort", "phases"});
  require_spoilable(options, session.ranks());
  Sort sort(options, session);
  RunRecord record = session.run([&] { return sort.run(); });
  add_work(record, session, sort);
  if (options.spoil_rank == session.rank()) spoil(sort);
  Verdict verdict;
  if (options.verification != Verification::none)
    verdict = verdict_of(what_is_wrong(sort, session.exchange()));
  complete(record, options);
  session.finish(std::move(record), verdict);
}

}  // namespace
}  // namespace loadshare::bucket_sort

int main(int argc, char** argv) {
  using namespace loadshare::bucket_sort;
  return loadshare::spmd::run_app(argc, argv, read_command_line, run_job);
}
