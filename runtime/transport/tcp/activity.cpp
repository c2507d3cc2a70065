#include "runtime/transport/tcp/activity.hpp"

#include <algorithm>

namespace loadshare::tcp {

Activity::Worker& Activity::of(WorkerId worker) {
  if (to_number(worker) >= workers_.size()) workers_.resize(to_number(worker) + 1);
  return workers_[to_number(worker)];
}

const Activity::Worker* Activity::find(WorkerId worker) const {
  return to_number(worker) < workers_.size() ? &workers_[to_number(worker)] : nullptr;
}

void Activity::given(WorkerId worker, const Assignment& assignment, double now_s) {
  Worker& its = of(worker);
  if (its.given.empty()) its.since_s = now_s;
  its.given.push_back({assignment.id, assignment.chunk});
}

void Activity::reported(WorkerId worker, const Report& report, double now_s) {
  Worker& its = of(worker);
  const auto given = std::ranges::find(its.given, report.id, &Given::id);
  if (given == its.given.end()) return;
  const Index iterations = given->chunk.size;
  its.given.erase(given);
  its.since_s = now_s;
  if (report.kind != Report::Kind::done) return;
  its.done += iterations;
  if (report.is_timed == 0) return;
  for (Pace* pace : {&its.pace, &pace_}) {
    pace->seconds += report.stamps.ended_s - report.stamps.begun_s;
    pace->iterations += iterations;
  }
}

Activity::Now Activity::now(WorkerId worker) const {
  const Worker* its = find(worker);
  if (its == nullptr) return {};
  Now now{.since_s = its->since_s, .done = its->done};
  if (!its->given.empty()) now.computes = its->given.front().chunk;
  if (its->pace.seconds > 0) now.per_s = static_cast<double>(its->pace.iterations) / its->pace.seconds;
  return now;
}

double Activity::expected_s(WorkerId worker) const {
  const Worker* its = find(worker);
  if (its == nullptr || its->given.empty()) return 0;
  const Pace& pace = its->pace.iterations > 0 ? its->pace : pace_;
  if (pace.iterations == 0) return 0;
  return pace.seconds / static_cast<double>(pace.iterations) *
         static_cast<double>(its->given.front().chunk.size);
}

}  // namespace loadshare::tcp
