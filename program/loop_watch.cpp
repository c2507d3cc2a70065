#include "program/loop_watch.hpp"

#include <algorithm>

namespace loadshare {

RunControls LoopWatch::controls(Workload& workload) {
  expect(workload);
  return {.on_progress =
              [this](double now_s, Index done, Index total) {
                rest_s_ = options_.forecast->remaining_s(now_s, done, total);
                report_->progress({now_s, done, total, rest_s_});
              },
          .on_status = on_status(),
          .on_note = [this](const std::string& note) { report_->note(note); },
          .interrupted = &interrupted_,
          .measures_width_cost = true};
}

std::function<void(const LoopStatus&)> LoopWatch::on_status() {
  if (!page_) return {};
  return [this](const LoopStatus& status) { page_->show({app_, status, rest_s_}); };
}

/// Once for all loops of a run.
void LoopWatch::open_page() {
  if (page_ || options_.farm.network.status.empty()) return;
  page_.emplace(options_.farm.network.status, options_.farm.network);
  page_->show({.app = app_, .loop = {}});
  report_->note("status at " + page_->url());
}

/// Tells the forecast what will be run.
void LoopWatch::expect(Workload& workload) const {
  const Chunk all{0, workload.iterations()};
  const auto iterations = static_cast<double>(std::max<Index>(1, all.size));
  options_.forecast->set_farm({.iterations = all.size,
                               .prefetch = static_cast<std::size_t>(options_.farm.prefetch),
                               .reissue = options_.farm.reissue,
                               .input_each = static_cast<double>(workload.input_bytes(all)) / iterations,
                               .result_each = static_cast<double>(workload.output_bytes(all)) / iterations,
                               .shared_bytes = static_cast<double>(workload.shared_input().size())});
}

void LoopWatch::ended(RunRecord& record) {
  report_->end_progress();
  options_.forecast->tell(record);
}

}  // namespace loadshare
