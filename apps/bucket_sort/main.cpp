#include <fmt/format.h>

#include <span>

#include "apps/bucket_sort/options.hpp"
#include "apps/bucket_sort/sort.hpp"
#include "apps/bucket_sort/verify.hpp"
#include "base/error.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare::bucket_sort {
namespace {

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

spmd::Verdict verify(Sort& sort, spmd::Session& session, const SortOptions& options) {
  if (options.verification == Verification::none) return {};
  const std::string wrong = what_is_wrong(sort, session.exchange());
  return {wrong.empty(), wrong};
}

void complete(RunRecord& record, const SortOptions& options) {
  record.iteration_name = "keys";
  record.options["size"] = options.size;
  record.options["keys"] = options.keys;
  record.options["split"] = options.split;
  record.options["part"] = name_of(options.part);
  record.options["verify"] = name_of(options.verification);
}

/// Two steps take time, which count alike: the keys that a rank began with go into buckets, and those of its
/// own bucket into order.
void add_work(RunRecord& record, spmd::Session& session, const Sort& sort) {
  const Index partitioned = sort.places().size;
  const std::vector<Index> of_ranks = session.exchange().all_gather(std::span(&partitioned, 1));
  for (std::size_t i = 0; i < record.ranks.size(); ++i)
    record.ranks[i].work = static_cast<double>(of_ranks[i] + record.ranks[i].iterations);
}

/// Sorts as asked: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; a result that
/// verification finds wrong is Error(run_failed), after its record was told.
void run_job(const SortOptions& options) {
  spmd::Session session(options.run, {"bucket_sort", "phases"});
  require_spoilable(options, session.ranks());
  Sort sort(options, session);
  RunRecord record = session.run([&] { return sort.run(); });
  add_work(record, session, sort);
  if (options.spoil_rank == session.rank()) spoil(sort);
  const spmd::Verdict verdict = verify(sort, session, options);
  complete(record, options);
  session.finish(std::move(record), verdict);
}

}  // namespace
}  // namespace loadshare::bucket_sort

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = bucket_sort::read_command_line(argc, argv)) bucket_sort::run_job(*options);
    return ExitCode::good;
  });
}
