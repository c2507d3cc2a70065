#include "schedulers/awf.hpp"

#include <utility>

namespace loadshare {
namespace {

SchedulerEntry adaptive_weighting(std::string name, std::string description, Awf::Renewal renewal,
                                  Counted counted) {
  return {.name = std::move(name),
          .description = std::move(description),
          .parameters = {min_info(), round_info("up", "a chunk")},
          .make =
              [renewal, counted](const SchedulerSpec& spec, const LoopFacts& loop) {
                return std::make_unique<Awf>(
                    Awf::Parameters{.workers = divisible_workers(loop),
                                    .renewal = renewal,
                                    .counted = counted,
                                    .min = spec.integer("min").value_or(1),
                                    .round = spec.word("round", roundings).value_or(Rounding::up)},
                    loop.learned);
              },
          .candidates = nothing_worth_trying,
          .kind = SizeKind::adaptive};
}

}  // namespace

Awf::Awf(Parameters parameters, const Learned& learned)
    : parameters_(parameters), shares_(parameters.workers) {
  if (parameters_.renewal == Renewal::run) take_over(learned);
}

void Awf::take_over(const Learned& learned) {
  run_ = learned.runs + 1;
  const std::size_t known = std::min(learned.rates.size(), learned.weighted_iterations.size());
  for (std::size_t number = 0; number < known; ++number) {
    const WorkerId worker{static_cast<std::uint32_t>(number)};
    const double iterations = learned.weighted_iterations[number];
    const double seconds = usable_s(iterations / learned.rates[number]);
    if (!(iterations > 0 && seconds > 0)) continue;
    Worker& record = at_worker(workers_, worker);
    record.seconds = seconds;
    record.iterations = iterations;
    shares_.set_speed(worker, speed_of(record));
  }
}

Cut Awf::next(const Request& request) {
  const auto remaining = static_cast<double>(request.remaining);
  if (parameters_.renewal == Renewal::chunk) {
    half_ = remaining / 2;
  } else if (groups_.begin(shares_.workers())) {
    half_ = remaining / 2;
    renew_waiting();
  }
  const Index size = rounded(shares_.of(request.worker, half_), parameters_.round);
  return {clipped(size, parameters_.min, request.remaining)};
}

void Awf::completed(const ChunkTimes& times) {
  const double seconds = counted_s(times, parameters_.counted);
  if (!(seconds > 0)) return;
  Worker& worker = at_worker(workers_, times.worker);
  const auto turn = static_cast<double>(parameters_.renewal == Renewal::run ? run_ : ++worker.turn);
  worker.seconds += turn * seconds;
  worker.iterations += turn * static_cast<double>(times.chunk.size);
  if (parameters_.renewal == Renewal::chunk) shares_.set_speed(times.worker, speed_of(worker));
  if (parameters_.renewal != Renewal::group || std::exchange(worker.is_waiting, true)) return;
  waiting_.push_back(times.worker);
}

// Takes constant time per chunk, because each entry was added by a chunk of its own.
void Awf::renew_waiting() {
  for (const WorkerId worker : waiting_) {
    Worker& record = workers_[to_number(worker)];
    if (std::exchange(record.is_waiting, false)) shares_.set_speed(worker, speed_of(record));
  }
  waiting_.clear();
}

void Awf::left(WorkerId worker) {
  shares_.left(worker);
  at_worker(workers_, worker).is_waiting = false;
}

Learned Awf::learned() const {
  if (parameters_.renewal != Renewal::run) return {};
  Learned learned{.runs = run_};
  for (const Worker& worker : workers_) {
    learned.rates.push_back(worker.iterations > 0 ? speed_of(worker) : 0);
    learned.weighted_iterations.push_back(worker.iterations);
  }
  return learned;
}

SchedulerEntry awf_entry() {
  return adaptive_weighting(
      "awf", "wf, weights from the loop's earlier runs (Banicescu, Velusamy and Devaprasad 2003)",
      Awf::Renewal::run, Counted::computing);
}

SchedulerEntry awf_b_entry() {
  return adaptive_weighting("awf-b", "wf, new weights for each group of chunks (Carino and Banicescu 2008)",
                            Awf::Renewal::group, Counted::computing);
}

SchedulerEntry awf_c_entry() {
  SchedulerEntry entry =
      adaptive_weighting("awf-c", "wf, new weights for each chunk (Carino and Banicescu 2008)",
                         Awf::Renewal::chunk, Counted::computing);
  entry.candidates = {};  // the candidate of the five: it adapts within a run and does not wait for a group
  return entry;
}

SchedulerEntry awf_d_entry() {
  return adaptive_weighting("awf-d", "awf-b with messages and waiting included (Carino and Banicescu 2008)",
                            Awf::Renewal::group, Counted::response);
}

SchedulerEntry awf_e_entry() {
  return adaptive_weighting("awf-e", "awf-c with messages and waiting included (Carino and Banicescu 2008)",
                            Awf::Renewal::chunk, Counted::response);
}

}  // namespace loadshare
