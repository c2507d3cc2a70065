#include "program/loop_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loadshare {

RunControls LoopWatch::controls(Workload& workload) {
  expect(workload);
  return {.on_progress =
              [this](double now_s, Index done, Index total) {
                report_->progress({now_s, done, total, options_.forecast->remaining_s(now_s, done, total)});
              },
          .on_note = [this](const std::string& note) { report_->note(note); },
          .interrupted = &interrupted_,
          .measures_width_cost = true};
}

namespace {

/// How the job is farmed out, as far as that tells runs apart.
std::string way_of(const FarmOptions& farm) {
  const bool is_tcp = !farm.network.listen.empty();
  const char* way = is_tcp ? "tcp" : detect_launch().is_mpi ? "ranks" : "threads";
  return fmt::format("{} of {}, master {} {}, prefetch {}, {}, {}, load {}", way, farm.ranks_per_host,
                     name_among(master_modes, farm.master), farm.master_rank, farm.prefetch,
                     farm.reissue == Reissue::on ? "reissue" : "no reissue",
                     name_among(wait_policies, farm.wait), farm.load);
}

}  // namespace

/// Tells the forecast what will be run.
void LoopWatch::expect(Workload& workload) const {
  const Chunk all{0, workload.iterations()};
  const auto iterations = static_cast<double>(std::max<Index>(1, all.size));
  const std::string way = way_of(options_.farm);
  LoopIdentity loop{.program = app_,
                    .job = job_.empty() ? "" : job_ + " by " + way,
                    .transport = way.starts_with("ranks") ? "mpi" : way.substr(0, way.find(' ')),
                    .hosts = {},
                    .iterations = all.size};
  options_.forecast->set_loop(std::move(loop),
                              {.iterations = all.size,
                               .prefetch = static_cast<std::size_t>(options_.farm.prefetch),
                               .reissue = options_.farm.reissue,
                               .input_each = static_cast<double>(workload.input_bytes(all)) / iterations,
                               .result_each = static_cast<double>(workload.output_bytes(all)) / iterations,
                               .shared_bytes = static_cast<double>(workload.shared_input().size())});
}

void LoopWatch::ended(RunRecord& record) {
  report_->end_progress();
  options_.forecast->tell(record);
  job_.clear();
}

void LoopWatch::tell(const RunRecord& record, const std::function<void()>& store) const {
  report_->tell(record, store);
  options_.forecast->keep(record);
}

}  // namespace loadshare
