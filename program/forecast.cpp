#include "program/forecast.hpp"

#include <algorithm>
#include <utility>

#include "models/farm/auto_scheduler.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare {

namespace {

/// After the first forecast, a new one is made each time the run is longer by this factor.
constexpr double look_growth = 1.25;
constexpr double first_look_s = 0.2;
constexpr double most_looking = 0.01;
constexpr double least_rest = 0.01;
/// Upper bound of a forecast's time, per chunk.
constexpr double look_s_per_chunk = 0.5e-6;

}  // namespace

/// A technique whose chunk times are also recorded.
class RunForecast::ObservedScheduler final : public ChunkScheduler {
 public:
  ObservedScheduler(std::unique_ptr<ChunkScheduler> scheduler, predictor::Observations& seen)
      : scheduler_(std::move(scheduler)), seen_(seen) {}

  Cut next(const Request& request) override {
    const Cut cut = scheduler_->next(request);
    if (!seen_.was_given(request.worker)) seen_.given(request.worker, cut.size, monotonic_s());
    return cut;
  }
  void assigned(WorkerId worker, Chunk chunk) override { scheduler_->assigned(worker, chunk); }
  void reclaimed(WorkerId worker, Chunk chunk) override { scheduler_->reclaimed(worker, chunk); }
  void completed(const ChunkTimes& times) override {
    seen_.completed(times);
    scheduler_->completed(times);
  }
  void joined(WorkerId worker, const WorkerFacts& facts) override { scheduler_->joined(worker, facts); }
  void left(WorkerId worker) override { scheduler_->left(worker); }
  Learned learned() const override { return scheduler_->learned(); }

 private:
  std::unique_ptr<ChunkScheduler> scheduler_;
  predictor::Observations& seen_;
};

RunForecast::RunForecast(SchedulerTable techniques) : techniques_(std::move(techniques)) {}

SchedulerTable RunForecast::schedulers() {
  SchedulerTable table;
  for (SchedulerEntry entry : techniques_.entries()) {
    // A technique with an example cannot always be made with its defaults.
    entry.make = [this, make = entry.make, wants_times = !entry.example.empty()](const SchedulerSpec& spec,
                                                                                 const LoopFacts& loop) {
      choice_.reset();
      LoopFacts facts = loop;
      if (wants_times && !facts.times) facts.times = times_before(loop);
      times_ = facts.times;
      return observed(make(spec, facts), spec.text(), loop);
    };
    table.add(std::move(entry));
  }
  table.add(predictor::auto_entry([this](const SchedulerSpec& spec, const LoopFacts& loop) {
    return observed(make_auto(spec, loop), "", loop);
  }));
  return table;
}

std::optional<LoopTimes> RunForecast::times_before(const LoopFacts& loop) {
  loop_.hosts = loop.hosts;
  const KnownBefore known = earlier_.known(loop_);
  return known.run ? predictor::measured_times(*known.run) : std::nullopt;
}

std::unique_ptr<ChunkScheduler> RunForecast::make_auto(const SchedulerSpec& spec, const LoopFacts& loop) {
  choice_.emplace();
  loop_.hosts = loop.hosts;
  KnownBefore known = earlier_.known(loop_);
  choice_->known_from = known.source;
  return std::make_unique<predictor::AutoScheduler>(
      techniques_, loop,
      predictor::AutoScheduler::Parameters{predictor::choosing_budget(spec), farm_, std::move(known.run),
                                           std::move(known.speeds)},
      monotonic_s, *choice_);
}

std::unique_ptr<ChunkScheduler> RunForecast::observed(std::unique_ptr<ChunkScheduler> scheduler,
                                                      const std::string& spec, const LoopFacts& loop) {
  forget();
  spec_ = spec;
  seen_.emplace(static_cast<std::size_t>(std::max<Index>(loop.workers, 1)), farm_);
  return std::make_unique<ObservedScheduler>(std::move(scheduler), *seen_);
}

void RunForecast::forget() {
  eta_.reset();
  etas_.clear();
  look_again_s_ = looking_s_ = committed_s_ = 0;
  committed_ = 0;
  watched_.clear();
}

bool RunForecast::look_ahead(double now_s, Index total) {
  const std::string& spec = choice_ ? choice_->scheduler : spec_;
  if (spec.empty() || !seen_->has_most()) return false;
  const double cost_s = look_s_per_chunk * static_cast<double>(total) / seen_->mean_size();
  if (looking_s_ + cost_s > most_looking * now_s) return false;
  looking_s_ += cost_s;
  eta_.emplace(techniques_, spec, total, times_);
  eta_->predict(*seen_, monotonic_s());
  look_again_s_ = look_growth * now_s;
  return true;
}

// Both lists are sorted by worker number.
void RunForecast::watch(const LoopProgress& progress) {
  std::vector<predictor::WatchedChunk> now;
  for (const ChunkInWork& one : progress.in_work) {
    const auto before = std::ranges::lower_bound(watched_, one.worker, {}, &predictor::WatchedChunk::worker);
    const bool is_old = before != watched_.end() && before->worker == one.worker &&
                        before->chunk == one.chunk && before->done == one.done;
    now.push_back({.worker = one.worker,
                   .chunk = one.chunk,
                   .since_s = one.since_s,
                   .done = one.done,
                   .said_s = is_old ? before->said_s : progress.now_s,
                   .queued = one.queued});
  }
  watched_ = std::move(now);
}

std::optional<double> RunForecast::remaining_s(const LoopProgress& progress) {
  const double now_s = progress.now_s;
  if (progress.committed > committed_) committed_s_ = now_s;
  committed_ = progress.committed;
  watch(progress);
  if (!seen_ || now_s < first_look_s) return std::nullopt;
  const bool has_looked = now_s >= look_again_s_ && look_ahead(now_s, progress.iterations);
  const std::optional<double> end_s = eta_ ? eta_->end_s(committed_, committed_s_, now_s) : std::nullopt;
  if (!end_s) return std::nullopt;
  const double workers_s = predictor::longest_rest_s(*seen_, watched_, now_s);
  const bool are_all_given = progress.given() >= progress.iterations;
  // If the run is late already, its end is not near because of that.
  const double rest_s =
      std::max(are_all_given ? workers_s : std::max(*end_s - now_s, workers_s), least_rest * now_s);
  if (has_looked) etas_.push_back({now_s, now_s + rest_s});
  return rest_s;
}

void RunForecast::add_to(RunRecord& record) const {
  record.choice = choice_;
  record.etas = etas_;
  if (choice_) record.notes.insert(record.notes.end(), earlier_.notes().begin(), earlier_.notes().end());
}

void RunForecast::keep(const RunRecord& record) {
  if (choice_ && !record.journal) earlier_.keep(loop_, record);  // with a journal, only part of the loop ran
}

}  // namespace loadshare
