#include "models/predictor/farm_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/predictor/random.hpp"

namespace loadshare::predictor {

namespace {

Processor make_processor(const std::optional<Grant>& grant, const Availability& load,
                         std::mt19937_64& random) {
  if (!grant || grant->share >= 1) return Processor(load);
  const double period_phase_s = fraction(random) * grant->period_s;
  const double tick_phase_s = fraction(random) * grant->tick_s;
  return Processor(BandwidthLimit(*grant, period_phase_s, tick_phase_s, load));
}

MasterProcessor make_master(const Scenario& scenario, std::mt19937_64& random) {
  const MasterModel& master = scenario.master;
  if (!master.own_worker) return MasterProcessor(make_processor(master.grant, master.load, random));
  const WorkerModel& own = scenario.workers.at(*master.own_worker);
  return MasterProcessor(make_processor(own.grant, own.load, random));
}

}  // namespace

FarmSimulation::FarmSimulation(const Scenario& scenario, std::unique_ptr<ChunkScheduler> scheduler,
                               std::uint64_t seed)
    : scenario_(scenario),
      dispatcher_(scenario.loop.iterations(), std::move(scheduler), scenario.reissue),
      depth_(static_cast<std::uint16_t>(scenario.prefetch + 1)),
      random_(seed),
      held_(scenario.workers.size() * depth_),
      shared_done_s_(scenario.shared.transfer_s) {
  workers_.reserve(scenario.workers.size());
  for (const WorkerModel& model : scenario.workers)
    workers_.push_back({make_processor(model.grant, model.load, random_), 0, 0, 0,
                        model.link && scenario.shared.transfer_s > 0});
  master_ = make_master(scenario, random_);
  for (const auto& costs : scenario.links) {
    orders_.emplace_back(*costs);
    reports_.emplace_back(*costs);
  }
  events_.reserve(held_.size() + 1);
  outcome_.workers.resize(workers_.size());
}

Outcome FarmSimulation::run() {
  start();
  while (!dispatcher_.finished()) handle(events_.pop());
  outcome_.master_busy_s = master_.busy_s();
  outcome_.port_out_busy_s += scenario_.shared.transfer_s;
  if (shared_done_s_ > 0) outcome_.shared_input_s = shared_done_s_ + scenario_.shared.tail_s;
  return std::move(outcome_);
}

// Breadth first, as MasterLoop does.
void FarmSimulation::start() {
  const auto count = static_cast<std::uint32_t>(workers_.size());
  for (std::uint32_t worker = 0; worker < count; ++worker) dispatcher_.join(WorkerId{worker});
  give_first_chunks();
  for (std::uint32_t round = 1; round < depth_; ++round)
    for (std::uint32_t worker = 0; worker < count; ++worker)
      if (workers_[worker].size == round) refill(worker, master_.serve_s(0, 0));
  for (std::uint32_t worker = 0; worker < count; ++worker)
    if (workers_[worker].awaits_shared)
      events_.push({shared_done_s_ + scenario_.shared.tail_s, worker, Event::Kind::shared_input_here, 0});
}

// They are all given before the first has left, each by a way of its own, so that they share the port.
void FarmSimulation::give_first_chunks() {
  std::vector<PortShare> shares;
  const auto count = static_cast<std::uint32_t>(workers_.size());
  for (std::uint32_t number = 0; number < count; ++number) {
    // The master comes to a worker when it has given the ones before theirs.
    const std::optional<std::uint16_t> slot = assign(number, master_.serve_s(0, 0));
    if (!slot) continue;
    Held& held = this->held(number, *slot);
    held.received_s = master_.serve_s(0, scenario_.master.order_s) + scenario_.workers[number].notice_s;
    if (scenario_.workers[number].link) shares.push_back({number, order_price(number, held.chunk)});
    if (scenario_.workers[number].link) count_order(held.chunk, shares.back().price.port_s);
  }
  share_port(shares);
  for (std::uint32_t number = 0; number < count; ++number)
    if (workers_[number].size > 0) begin_if_ready(number, 0);
}

void FarmSimulation::share_port(std::vector<PortShare>& shares) {
  std::ranges::stable_sort(shares, {}, [](const PortShare& share) { return share.price.port_s; });
  const double slowed = shared_done_s_ > 0 ? 1 / scenario_.shared.order_share : 1;
  double end_s = 0, last_s = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Price& price = shares[i].price;
    end_s += (price.port_s - last_s) * static_cast<double>(shares.size() - i) * slowed;
    last_s = price.port_s;
    Held& held = this->held(shares[i].worker, workers_[shares[i].worker].head);
    held.received_s += price.lead_s + end_s + price.transfer_s - price.port_s;
    port_out_free_s_ += price.port_s;
  }
  if (shared_done_s_ > 0) shared_done_s_ += port_out_free_s_;
}

void FarmSimulation::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::at_port:
      return report_at_port(event);
    case Event::Kind::at_master:
      return report_at_master(event);
    case Event::Kind::own_chunk_done:
      return own_chunk_done(event);
    case Event::Kind::shared_input_here:
      return shared_input_here(event);
  }
}

void FarmSimulation::report_at_port(const Event& event) {
  const Price& price = report_price(event.worker, held(event.worker, event.slot).chunk);
  const double start_s = std::max(event.at_s, port_in_free_s_);
  port_in_free_s_ = start_s + price.port_s;
  outcome_.port_in_busy_s += price.port_s;
  Event arrival = event;
  arrival.at_s = start_s + price.transfer_s;
  arrival.kind = Event::Kind::at_master;
  if (events_.is_empty() || arrival < events_.next())
    report_at_master(arrival);
  else
    events_.push(arrival);
}

void FarmSimulation::report_at_master(const Event& event) {
  Worker& worker = workers_[event.worker];
  // Oldest first, as workers report.
  const Held returned = held(event.worker, worker.head);
  const double now_s = master_.serve_s(event.at_s + scenario_.master.notice_s, scenario_.master.report_s);
  worker.head = next_slot(worker.head);
  --worker.size;
  const Commit commit =
      dispatcher_.complete(WorkerId{event.worker}, returned.id, now_s, returned.ended_s - returned.begun_s);
  if (commit == Commit::first) {
    ++outcome_.chunks;
    ++outcome_.workers[event.worker].chunks;
    outcome_.workers[event.worker].iterations += returned.chunk.size;
  }
  if (chunks_ != nullptr) keep(event.worker, returned, now_s, commit == Commit::first);
  outcome_.makespan_s = now_s;
  if (!dispatcher_.finished()) refill(event.worker, now_s);
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
  const std::uint16_t next = next_slot(event.slot);
  const bool has_next = worker.size > 1;
  Event report = event;
  report.kind = Event::Kind::at_master;
  events_.push(report);
  if (has_next) begin_own(event.worker, next);
}

void FarmSimulation::shared_input_here(const Event& event) {
  const double here_s = shared_done_s_ + scenario_.shared.tail_s;
  if (here_s > event.at_s) {  // orders have gone before it
    Event later = event;
    later.at_s = here_s;
    return events_.push(later);
  }
  Worker& worker = workers_[event.worker];
  worker.awaits_shared = false;
  for (std::uint16_t i = 0, slot = worker.head; i < worker.size; ++i, slot = next_slot(slot))
    begin(event.worker, slot);
}

void FarmSimulation::refill(std::uint32_t number, double at_s) {
  const std::optional<std::uint16_t> slot = assign(number, at_s);
  if (!slot) return;
  Held& held = this->held(number, *slot);
  held.received_s = send_order(number, held.chunk, master_.serve_s(at_s, scenario_.master.order_s));
  begin_if_ready(number, *slot);
}

std::optional<std::uint16_t> FarmSimulation::assign(std::uint32_t number, double at_s) {
  Worker& worker = workers_[number];
  // Copies of unfinished chunks are for workers with nothing else to do.
  if (worker.size > 0 && dispatcher_.remaining() == 0) return std::nullopt;
  const std::optional<Assignment> assignment = dispatcher_.assign(WorkerId{number}, at_s);
  if (!assignment) return std::nullopt;
  const auto slot = static_cast<std::uint16_t>((worker.head + worker.size) % depth_);
  ++worker.size;
  held(number, slot) = {assignment->id, assignment->chunk, at_s, 0, 0, 0};
  return slot;
}

double FarmSimulation::send_order(std::uint32_t worker, const Chunk& chunk, double at_s) {
  const WorkerModel& model = scenario_.workers[worker];
  if (!model.link) return at_s + model.notice_s;
  const Price& price = order_price(worker, chunk);
  const double start_s = std::max(at_s + price.lead_s + shared_delay_s(at_s, price.port_s), port_out_free_s_);
  port_out_free_s_ = start_s + price.port_s;
  count_order(chunk, price.port_s);
  return start_s + price.transfer_s + model.notice_s;
}

void FarmSimulation::count_order(const Chunk& chunk, double port_s) {
  outcome_.port_out_busy_s += port_s;
  outcome_.bytes_out += scenario_.bytes.order + scenario_.bytes.input_each * static_cast<double>(chunk.size);
  ++outcome_.messages;
}

void FarmSimulation::begin_if_ready(std::uint32_t number, std::uint16_t slot) {
  if (is_own(number)) {
    if (workers_[number].size == 1) begin_own(number, slot);
  } else if (!workers_[number].awaits_shared) {
    begin(number, slot);
  }
}

// The shared input and an order share the port: the order waits for what is in the sockets before it, the
// shared input's end moves by the order.
double FarmSimulation::shared_delay_s(double at_s, double port_s) {
  if (at_s >= shared_done_s_) return 0;
  const double delay_s = std::min(scenario_.shared.window_s, shared_done_s_ - at_s);
  shared_done_s_ += port_s;
  return delay_s;
}

void FarmSimulation::begin(std::uint32_t number, std::uint16_t slot) {
  Worker& worker = workers_[number];
  Held& held = this->held(number, slot);
  const double work_s = work_of(number, held.chunk);
  const double shared_s = scenario_.workers[number].link ? shared_done_s_ + scenario_.shared.tail_s : 0;
  held.begun_s = std::max(held.received_s, worker.free_at_s);
  const double passing_on_s = held.begun_s < shared_s ? scenario_.shared.relay_s : 0;
  held.ended_s = worker.processor.finish_s(held.begun_s, work_s + passing_on_s);
  // It was computed as far as the shared input was there; the rest could only follow.
  if (held.ended_s < shared_s)
    held.ended_s = worker.processor.finish_s(shared_s, work_s * scenario_.shared.last_part);
  worker.free_at_s = held.ended_s;
  outcome_.workers[number].computing_s += held.ended_s - held.begun_s;
  outcome_.workers[number].last_end_s = held.ended_s;
  report(number, slot);
}

void FarmSimulation::report(std::uint32_t number, std::uint16_t slot) {
  const WorkerModel& model = scenario_.workers[number];
  Worker& worker = workers_[number];
  const Held& held = this->held(number, slot);
  if (!model.link) return events_.push({held.ended_s, number, Event::Kind::at_master, slot});
  double sent_s = held.ended_s;
  if (model.report_s > 0) worker.free_at_s = sent_s = worker.processor.finish_s(sent_s, model.report_s);
  ++outcome_.messages;
  outcome_.bytes_in +=
      scenario_.bytes.report + scenario_.bytes.result_each * static_cast<double>(held.chunk.size);
  events_.push({sent_s + report_price(number, held.chunk).lead_s, number, Event::Kind::at_port, slot});
}

void FarmSimulation::begin_own(std::uint32_t worker, std::uint16_t slot) {
  Held& held = this->held(worker, slot);
  held.begun_s = std::max(held.received_s, workers_[worker].free_at_s);
  master_.begin_own(held.begun_s, work_of(worker, held.chunk));
  events_.push({master_.own_end_s(), worker, Event::Kind::own_chunk_done, slot});
}

void FarmSimulation::keep(std::uint32_t worker, const Held& held, double returned_s, bool is_first) {
  chunks_->push_back({held.chunk, WorkerId{worker}, held.assigned_s, held.received_s, held.begun_s,
                      held.ended_s, returned_s, 0, !is_first});
}

double FarmSimulation::work_of(std::uint32_t worker, const Chunk& chunk) {
  const WorkerModel& model = scenario_.workers[worker];
  const double work_s =
      scenario_.loop.seconds(chunk) * scenario_.widths[model.width].at(chunk.size) / model.speed;
  if (scenario_.chunk_deviation <= 0) return work_s;
  return work_s * std::exp(scenario_.chunk_deviation * normal(random_));
}

const Price& FarmSimulation::order_price(std::uint32_t worker, const Chunk& chunk) {
  const WorkerModel& model = scenario_.workers[worker];
  return orders_[*model.link].price(
      scenario_.bytes.order, scenario_.bytes.input_each * static_cast<double>(chunk.size), model.notice_s);
}

const Price& FarmSimulation::report_price(std::uint32_t worker, const Chunk& chunk) {
  return reports_[*scenario_.workers[worker].link].price(
      scenario_.bytes.report, scenario_.bytes.result_each * static_cast<double>(chunk.size),
      scenario_.master.notice_s);
}

}  // namespace loadshare::predictor
