#include "models/farm/farm_simulation.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"

namespace loadshare::predictor {

namespace {

Processor make_processor(const std::optional<CpuQuota>& grant, const Availability& load,
                         std::mt19937_64& random) {
  if (!grant || grant->share >= 1) return Processor(load);
  const double period_phase_s = fraction(random) * grant->period_s;
  const double tick_phase_s = fraction(random) * grant->tick_s;
  return Processor(BandwidthLimit(*grant, period_phase_s, tick_phase_s, load));
}

Index present_at_start(const Scenario& scenario) {
  return std::ranges::count_if(scenario.workers,
                               [](const WorkerModel& worker) { return !worker.stay.is_late(); });
}

MasterProcessor make_master(const Scenario& scenario, std::mt19937_64& random) {
  const MasterModel& master = scenario.master;
  if (!master.own_worker) return MasterProcessor(make_processor(master.grant, master.load, random));
  const WorkerModel& own = scenario.workers.at(*master.own_worker);
  return MasterProcessor(make_processor(own.grant, own.load, random));
}

}  // namespace

FarmSimulation::FarmSimulation(const Scenario& scenario, std::unique_ptr<ChunkScheduler> scheduler,
                               std::uint64_t seed, const Bundling& bundling)
    : scenario_(scenario),
      dispatcher_(scenario.loop.iterations(), bundled(std::move(scheduler), bundling),
                  {.reissue = scenario.reissue,
                   .patience_s = scenario.patience_s,
                   .workers_expected = present_at_start(scenario)}),
      depth_(static_cast<std::uint16_t>(scenario.prefetch + 1)),
      random_(seed),
      held_(scenario.workers.size() * depth_),
      costs_(scenario),
      network_(scenario, costs_, events_) {
  if (scenario.workers.empty() && scenario.loop.iterations() > 0)
    throw UsageError("the farm has no workers", "no worker would compute its iterations", "add one");
  workers_.reserve(scenario.workers.size());
  for (const WorkerModel& model : scenario.workers)
    workers_.push_back({make_processor(model.grant, model.load, random_), 0, 0, 0, 0, needs_shared(model)});
  master_ = make_master(scenario, random_);
  events_.reserve(held_.size() + 2);
  outcome_.workers.resize(workers_.size());
  if (scenario.scatter.is_any()) outcome_.work_s = 0;
}

std::unique_ptr<ChunkScheduler> FarmSimulation::bundled(std::unique_ptr<ChunkScheduler> scheduler,
                                                        const Bundling& bundling) {
  if (!scheduler || scenario_.loop.iterations() <= bundling.exact_chunks) return scheduler;
  auto bundles =
      std::make_unique<BundledChunks>(std::move(scheduler), std::ssize(scenario_.workers), bundling);
  bundles_ = bundles.get();
  return bundles;
}

Outcome FarmSimulation::run() {
  start();
  while (!dispatcher_.is_over()) run_events();
  return finish();
}

std::optional<Outcome> FarmSimulation::run_while(const std::function<bool()>& may_go_on) {
  start();
  while (!dispatcher_.is_over()) {
    if (!may_go_on()) return std::nullopt;
    run_events();
  }
  return finish();
}

void FarmSimulation::run_events() {
  constexpr int at_once = 4096;
  for (int i = 0; i < at_once && !dispatcher_.is_over(); ++i) handle(network_.next_event());
}

Outcome FarmSimulation::finish() {
  if (has_changes_) require_good_end();
  for (std::uint32_t number = 0; number < workers_.size(); ++number)
    for (std::uint16_t i = 0; i < workers_[number].size; ++i)
      network_.leave_out(number, held(number, slot_behind_head(workers_[number], i)).bundle(),
                         i < workers_[number].begun);
  outcome_.master_busy_s = master_.busy_s();
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    const Dispatcher::Contribution contribution = dispatcher_.contribution(WorkerId{worker});
    outcome_.workers[worker].chunks += contribution.chunks;
    outcome_.chunks += outcome_.workers[worker].chunks;
    outcome_.workers[worker].iterations = contribution.iterations;
  }
  if (has_changes_) tell_stays();
  network_.tell(outcome_);
  if (bundles_ != nullptr) outcome_.most_at_once = bundles_->most_at_once();
  if (shared_done_s_ > 0) outcome_.shared_input_s = shared_here_s();
  return std::move(outcome_);
}

// The master comes to a worker when it has given the ones before theirs.
void FarmSimulation::start() {
  expect_changes();
  const auto count = static_cast<std::uint32_t>(workers_.size());
  for (std::uint32_t worker = 0; worker < count; ++worker)
    if (!scenario_.workers[worker].stay.is_late()) join(worker, 0);
  network_.send_shared_input([this](std::uint32_t worker) { return workers_[worker].size > 0; });
}

void FarmSimulation::join(std::uint32_t worker, double at_s) {
  const double now_s = master_.serve_s(at_s, 0);
  dispatcher_.joined(WorkerId{worker},
                     {.window = depth_, .weight = scenario_.workers[worker].granted_share()}, now_s,
                     decisions_);
  carry_out(now_s);
}

inline void FarmSimulation::handle(const Event& event) {
  if (has_changes_) [[unlikely]] {
    now_s_ = event.at_s;
    if (is_for_nobody(event)) return;
  }
  if (event.kind == Event::Kind::report_at_port) [[likely]]
    return report_at_port(event);
  switch (event.kind) {
    case Event::Kind::order_at_port:
      return network_.order_at_port(event, held(event.worker, event.slot).bundle());
    case Event::Kind::order_here:
      return order_here(event);
    case Event::Kind::report_at_port:
      return report_at_port(event);
    case Event::Kind::report_at_master:
      return report_at_master(event);
    case Event::Kind::own_chunk_done:
      return own_chunk_done(event);
    case Event::Kind::shared_sent:
      return shared_sent(event);
    case Event::Kind::shared_input_here:
      return shared_input_here();
    case Event::Kind::shared_here_late:
      return shared_here_late(event);
    case Event::Kind::worker_free:
      workers_[event.worker].is_to_be_free = false;
      return begin_ready(event.worker);
    default:
      return carry_out(handle_change(event));
  }
}

void FarmSimulation::order_here(const Event& event) {
  Held& held = this->held(event.worker, event.slot);
  held.received_s = network_.order_here(event, held.bundle());
  begin_ready(event.worker);
}

inline void FarmSimulation::report_at_port(const Event& event) {
  const std::optional<Event> arrival =
      network_.report_at_port(event, held(event.worker, event.slot).bundle());
  if (arrival) report_at_master(*arrival);
}

inline void FarmSimulation::report_at_master(const Event& event) {
  Worker& worker = workers_[event.worker];
  // Oldest first, as workers report.
  const Held& returned = held(event.worker, worker.head);
  const ServingCosts& costs = scenario_.master.serving(scenario_.workers[event.worker]);
  const auto chunks = static_cast<double>(returned.chunks);
  const double now_s =
      master_.serve_s(event.at_s + chunks * costs.polling_latency_s, chunks * costs.report_s);
  worker.head = slot_behind_head(worker, 1);
  --worker.size;
  --worker.begun;
  dispatcher_.returned(
      WorkerId{event.worker}, returned.id,
      {.compute_s = returned.ended_s - returned.begun_s - returned.waited_s, .waiting_s = returned.waited_s},
      now_s, decisions_);
  if (on_chunk_ || outcome_.work_s) tell(event.worker, returned, now_s);
  if (returned.chunks > 1 && decisions_.front().kind == Decision::Kind::publish)
    outcome_.workers[event.worker].chunks += returned.chunks - 1;  // the dispatcher counts one
  outcome_.makespan_s = now_s;
  const auto iterations = static_cast<double>(returned.chunk.size);
  carry_out(now_s);
  // All other iterations are done, and a verdict may be due (see DispatchRules::verdict_after_s).
  if (has_changes_ && dispatcher_.outstanding() == 0) expect_tick();
  // By a thread of its own, which has its processor from who computes there, and keeps no order waiting. Nor
  // is the last group waited for within the loop's time.
  if (scenario_.master.journal_each_s > 0 && !dispatcher_.is_over())
    master_.serve_s(now_s, scenario_.master.journal_each_s * iterations);
}

void FarmSimulation::tell(std::uint32_t worker, const Held& returned, double now_s) {
  const bool is_first = decisions_.front().kind == Decision::Kind::publish;
  if (is_first && outcome_.work_s)
    *outcome_.work_s += static_cast<double>(returned.deviation) * scenario_.loop.seconds(returned.chunk);
  if (on_chunk_)
    on_chunk_({returned.chunk, WorkerId{worker}, returned.assigned_s, returned.received_s, returned.begun_s,
               returned.ended_s, now_s, 0, !is_first, returned.waited_s});
}

void FarmSimulation::own_chunk_done(const Event& event) {
  constexpr double same_instant_s = 1e-12;
  const double end_s = master_.own_end_s();
  if (end_s > event.at_s + same_instant_s) {  // messages came meanwhile
    Event later = event;
    later.at_s = end_s;
    return events_.push(later);
  }
  master_.end_own();
  Worker& worker = workers_[event.worker];
  Held& done = held(event.worker, event.slot);
  done.ended_s = worker.free_at_s = end_s;
  outcome_.workers[event.worker].computing_s += done.ended_s - done.begun_s;
  outcome_.workers[event.worker].last_end_s = done.ended_s;
  Event report = event;
  report.kind = Event::Kind::report_at_master;
  events_.push(report);
  if (worker.begun < worker.size) begin_own(event.worker, slot_behind_head(worker, worker.begun));
}

void FarmSimulation::shared_sent(const Event& event) {
  if (!network_.shared_sent()) return;
  shared_done_s_ = event.at_s;
  events_.push({shared_here_s(), 0, Event::Kind::shared_input_here, 0});
}

void FarmSimulation::shared_input_here() {
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    if (scenario_.workers[number].stay.is_late()) continue;  // its host gets its own
    if (!std::exchange(workers_[number].awaits_shared, false)) continue;
    if (!workers_[number].is_gone) begin_ready(number);
  }
}

void FarmSimulation::shared_here_late(const Event& event) {
  workers_[event.worker].awaits_shared = false;
  late_shared_here_s_[event.worker] = event.at_s;
  begin_ready(event.worker);
}

inline void FarmSimulation::carry_out(double now_s) {
  bool is_busy = false;
  for (const Decision& decision : decisions_) {
    if (decision.kind == Decision::Kind::recall) recall(decision, now_s);
    if (decision.kind == Decision::Kind::wait && yet_to_come_ == 0) throw_stranded(now_s);
    if (decision.kind != Decision::Kind::give) continue;
    const double at_s = is_busy ? master_.serve_s(now_s, 0) : now_s;
    order(decision, at_s);
    is_busy = true;
  }
  decisions_.clear();
}

inline void FarmSimulation::order(const Decision& given, double at_s) {
  const std::uint32_t number = to_number(given.worker);
  Worker& worker = workers_[number];
  const std::uint16_t slot = slot_behind_head(worker, worker.size++);
  const Bundle bundle = bundles_ == nullptr ? Bundle{given.chunk, 1} : bundles_->bundle_of(given.chunk);
  const double order_s = scenario_.master.serving(scenario_.workers[number]).order_s;
  const double sent_s = master_.serve_s(at_s, static_cast<double>(bundle.chunks) * order_s);
  held(number, slot) = {given.id, given.chunk, at_s, 0, 0, 0, 1, static_cast<std::uint32_t>(bundle.chunks),
                        0,        never_s};
  held(number, slot).received_s = network_.send_order(number, slot, bundle, sent_s);
  if (is_own(number)) {
    if (worker.begun == 0) begin_own(number, slot);
  } else {
    begin_ready(number);
  }
}

inline double FarmSimulation::shared_here_s(std::uint32_t worker) const {
  const WorkerModel& model = scenario_.workers[worker];
  if (model.stay.is_late()) return late_shared_here_s_[worker];
  return model.link && shared_done_s_ > 0 ? shared_here_s() : 0;
}

inline void FarmSimulation::begin_ready(std::uint32_t number) {
  Worker& worker = workers_[number];
  while (worker.begun < worker.size && !worker.awaits_shared) {
    const std::uint16_t slot = slot_behind_head(worker, worker.begun);
    if (held(number, slot).received_s == FarmNetwork::under_way_s) return;
    if (has_changes_) [[unlikely]] {
      const double ready_s = std::max(held(number, slot).received_s, worker.free_at_s);
      if (ready_s > now_s_) {
        if (!std::exchange(worker.is_to_be_free, true))
          events_.push({ready_s, number, Event::Kind::worker_free, 0});
        return;
      }
      hand_back(number);
      if (worker.begun == worker.size) return;
    }
    ++worker.begun;
    begin(number, slot);
  }
}

/// Returns when the work ends. A control group under a limit cannot save its grant for longer than a period.
/// So many short chunks with waits between them are granted as much as if they were computed evenly over
/// their time.
inline double FarmSimulation::computed_s(std::uint32_t number, const Bundle& bundle, double from_s,
                                         double work_s) {
  Worker& worker = workers_[number];
  if (bundle.chunks == 1) return worker.processor.finish_s(from_s, work_s);
  const WorkerModel& model = scenario_.workers[number];
  const bool is_limited = model.grant && model.grant->share < 1;
  if (!is_limited || work_s > static_cast<double>(bundle.chunks) * model.grant->period_s)
    return worker.processor.finish_s(from_s, work_s);
  const double granted_s = worker.processor.finish_s(std::min(from_s, worker.free_at_s), work_s);
  return std::max(granted_s, Processor(model.load).finish_s(from_s, work_s));
}

inline void FarmSimulation::begin(std::uint32_t number, std::uint16_t slot) {
  Worker& worker = workers_[number];
  Held& held = this->held(number, slot);
  held.deviation = static_cast<float>(costs_.deviation(held.bundle(), random_));
  const double work_s = static_cast<double>(held.deviation) * costs_.work_s(number, held.bundle());
  const double shared_s = shared_here_s(number), came_s = scenario_.workers[number].stay.from_s;
  held.begun_s = std::max(held.received_s, worker.free_at_s);
  const double from_s =
      std::max(held.begun_s, came_s + scenario_.shared.begins_at * std::max(0.0, shared_s - came_s));
  // Until it is there the chunk hardly gets on.
  const double delay_s = scenario_.workers[number].relay_share * std::max(0.0, shared_s - from_s);
  held.ended_s = computed_s(number, held.bundle(), from_s + delay_s, work_s);
  held.waited_s = from_s - held.begun_s;
  // It was computed as far as the shared input was there; the rest could only follow.
  if (held.ended_s < shared_s) {
    held.waited_s += shared_s - held.ended_s;
    held.ended_s = worker.processor.finish_s(shared_s, work_s * scenario_.shared.last_part);
  }
  worker.free_at_s = held.ended_s;
  outcome_.workers[number].computing_s += held.ended_s - held.begun_s - held.waited_s;
  outcome_.workers[number].last_end_s = held.ended_s;
  report(number, slot);
}

// When the last of it will be everywhere is not known yet: as early as can be. Who ends before has lost a
// part of its own time only.
double FarmSimulation::sending_s(const WorkerModel& model, double from_s, double work_s) const {
  const double left_s = scenario_.shared.transfer_s + scenario_.shared.tail_s - from_s;
  if (left_s <= 0 || model.relay_share <= 0 || !network_.sends_shared_input()) return 0;
  const double alone_s = master_.projected_end_s(from_s, work_s) - from_s;
  return model.relay_share * std::min(left_s, alone_s / (1 - model.relay_share));
}

inline void FarmSimulation::report(std::uint32_t number, std::uint16_t slot) {
  const WorkerModel& model = scenario_.workers[number];
  Worker& worker = workers_[number];
  const Held& held = this->held(number, slot);
  if (!model.link) return events_.push({held.ended_s, number, Event::Kind::report_at_master, slot});
  double sent_s = held.ended_s;
  if (model.report_s > 0)
    worker.free_at_s = sent_s =
        worker.processor.finish_s(sent_s, static_cast<double>(held.chunks) * model.report_s);
  network_.send_report(number, slot, held.bundle(), sent_s);
}

void FarmSimulation::begin_own(std::uint32_t number, std::uint16_t slot) {
  Held& held = this->held(number, slot);
  ++workers_[number].begun;
  held.begun_s = std::max(held.received_s, workers_[number].free_at_s);
  held.deviation = static_cast<float>(costs_.deviation(held.bundle(), random_));
  held.waited_s = 0;
  const double work_s = static_cast<double>(held.deviation) * costs_.work_s(number, held.bundle());
  master_.begin_own(held.begun_s + sending_s(scenario_.workers[number], held.begun_s, work_s), work_s);
  events_.push({master_.own_end_s(), number, Event::Kind::own_chunk_done, slot});
}

}  // namespace loadshare::predictor
