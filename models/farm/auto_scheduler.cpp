#include "models/farm/auto_scheduler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "base/statistics.hpp"
#include "models/farm/farm_simulation.hpp"
#include "models/messages/message_costs.hpp"
#include "schedulers/workers.hpp"

namespace loadshare::predictor {
namespace {

constexpr double usual_budget_percent = 1;
constexpr double most_budget_percent = 50;

/// What a chunk costs beside computing in shared memory; by messages it is several times as much.
constexpr double most_of_near_s = 30e-6;

/// The warm-up chunks may be this part of the loop at most: more of them would decide the run.
constexpr Index warm_up_part = 4;
/// A worker's first chunk is this part of its share of the loop. The later ones are two or four times as
/// large, by turns from worker to worker and from chunk to chunk, which separates the cost of a chunk from
/// that of an iteration.
constexpr Index first_part = 64;
constexpr std::array<Index, 2> growths{4, 2};
/// A processor that is granted in turns (a control group's limit) shows its speed over several of them only.
constexpr double computing_wanted_s = 0.05;

std::string technique_of(const std::string& spec) {
  return spec.substr(0, spec.find(':'));
}

/// Each technique's first candidates first, then its second ones: whoever runs out of time has tried all.
std::vector<std::string> in_turns(const std::vector<std::string>& specs) {
  std::map<std::string, Index> counts;
  std::vector<std::pair<Index, std::string>> numbered;
  for (const std::string& spec : specs) numbered.emplace_back(counts[technique_of(spec)]++, spec);
  std::ranges::stable_sort(numbered, {}, [](const auto& one) { return one.first; });
  std::vector<std::string> ordered;
  for (auto& [number, spec] : numbered) ordered.push_back(std::move(spec));
  return ordered;
}

/// In how many simulated runs candidates are compared at most.
constexpr std::uint64_t most_rounds = 5;
/// New simulations begin only within this part of the budget, since the host may be stopped during one.
constexpr double begun_within = 0.5;
/// Chunks that scatter less do not decide between candidates.
constexpr double negligible_deviation = 1e-3;

}  // namespace

SchedulerEntry auto_entry(MakeScheduler make) {
  return {"auto",
          "chooses technique and parameter itself: some warm-up chunks, then the predictor",
          {{"budget", short_number_text(usual_budget_percent),
            "percent of the predicted makespan that choosing may take"}},
          std::move(make)};
}

SchedulerTable farm_schedulers() {
  SchedulerTable table = built_in_schedulers();
  table.add(auto_entry([](const SchedulerSpec&, const LoopFacts&) -> std::unique_ptr<ChunkScheduler> {
    throw UsageError("auto has nothing to choose by", "it needs warm-up chunks of a run that goes on",
                     "name a technique, or give it to a farm application");
  }));
  return table;
}

double choosing_budget(const SchedulerSpec& spec) {
  return spec.real("budget", 1, most_budget_percent).value_or(usual_budget_percent) / 100;
}

void Observations::given(WorkerId worker, Index size, double now_s) {
  Worker& record = at_worker(workers_, worker);  // more may come than were expected
  if (record.first_size > 0) return;
  record.first_size = size;
  record.first_given_s = now_s;
  begun_s_ = std::min(begun_s_, now_s);
}

void Observations::completed(const ChunkTimes& times) {
  Worker& worker = at_worker(workers_, times.worker);
  // The shortest chunks are not all timed (RunRecord::is_thinned): their response is all that is known.
  const double compute_s =
      times.compute_s ? *times.compute_s + times.waiting_s.value_or(0) : times.response_s;
  if (worker.returned++ == 0 && farm_.do_first_chunks_wait()) {
    if (times.response_s - times.compute_s.value_or(0) - times.waiting_s.value_or(0) > most_of_near_s)
      arrived_s_ = std::min(arrived_s_, worker.first_given_s + times.response_s);
    return;
  }
  const auto size = static_cast<double>(times.chunk.size);
  ++worker.chunks;
  ++chunks_;
  worker.iterations += size;
  worker.computing_s += std::max(0.0, compute_s);
  worker.each_s += compute_s / size;
  worker.each_squared += compute_s / size * compute_s / size;
  if (!tells_overhead(worker)) return;
  const double beside_s = std::max(0.0, times.response_s - compute_s);
  ++worker.overheads;
  worker.beside_s += beside_s;
  if (is_near(worker)) return;
  beside_.add(size, beside_s);
}

// A chunk that was queued behind another shows only the part of the overhead that the queue did not hide. So
// where chunks are prefetched, the first chunk alone tells it.
bool Observations::tells_overhead(const Worker& worker) const {
  return farm_.prefetch == 0 || worker.returned == 1 || farm_.do_first_chunks_wait();
}

bool Observations::has_most() const {
  const auto known = std::ranges::count_if(workers_, [](const Worker& worker) { return worker.chunks > 0; });
  return 2 * known >= std::ssize(workers_);
}

double Observations::mean_size() const {
  double iterations = 0;
  for (const Worker& worker : workers_) iterations += worker.iterations;
  return chunks_ > 0 ? iterations / static_cast<double>(chunks_) : 0;
}

bool Observations::is_near(const Worker& worker) const {
  return worker.overheads > 0 && worker.mean_beside_s() < most_of_near_s;
}

double Observations::near_s() const {
  double sum_s = 0, count = 0;
  for (const Worker& worker : workers_)
    if (is_near(worker)) sum_s += worker.mean_beside_s(), ++count;
  return count > 0 ? sum_s / count : 0;
}

// Relative, about each worker's own mean.
double Observations::chunk_deviation() const {
  constexpr double most = 0.2;  // the chunks that are to come are longer, and scatter less
  double variance = 0, freedom = 0;
  for (const Worker& worker : workers_) {
    if (worker.chunks < 2) continue;
    const auto count = static_cast<double>(worker.chunks);
    const double mean_s = worker.each_s / count;
    if (!(mean_s > 0)) continue;
    variance += std::max(0.0, worker.each_squared - count * mean_s * mean_s) / (mean_s * mean_s);
    freedom += count - 1;
  }
  return freedom > 0 ? std::min(std::sqrt(variance / freedom), most) : 0;
}

double Observations::slowest_iteration_s() const {
  double slowest_s = 0;
  for (const Worker& worker : workers_)
    if (worker.chunks > 0) slowest_s = std::max(slowest_s, worker.iteration_s());
  return slowest_s;
}

double Observations::iteration_s(const Worker& worker, double now_s) const {
  if (worker.chunks > 0) return worker.iteration_s();
  // It may be done soon, or not for long: a quarter more is a guess.
  constexpr double still_to_come = 1.25;
  if (worker.returned > 0 || worker.first_size == 0) return slowest_iteration_s();
  const double from_s =
      farm_.do_first_chunks_wait() ? std::max(worker.first_given_s, arrived_s_) : worker.first_given_s;
  const double so_far_s = std::max(0.0, now_s - from_s) / static_cast<double>(worker.first_size);
  return std::max(slowest_iteration_s(), still_to_come * so_far_s);
}

// Warm-up chunks are too short to show it; what every host needed does, once it has come to one.
std::optional<double> Observations::bandwidth() const {
  if (!farm_.do_first_chunks_wait() || !(arrived_s_ > begun_s_) || std::isinf(arrived_s_))
    return std::nullopt;
  return farm_.shared_bytes / (arrived_s_ - begun_s_);
}

Observations::Overhead Observations::overhead(double now_s) const {
  if (beside_.n == 0) return {};
  if (const auto known = bandwidth()) {
    const double each_s = (farm_.input_each + farm_.result_each) / *known;
    // Others' messages were on the way too: in a port that is busy for a part u of the time, what shares it
    // takes 1 / (1 - u) times as long.
    constexpr double most_busy = 0.9;
    const double port_s = beside_.x * std::max(farm_.input_each, farm_.result_each) / *known;
    const double elapsed_s = now_s - arrived_s_;
    const double busy = elapsed_s > 0 ? std::min(port_s / elapsed_s, most_busy) : 0;
    return {std::max(0.0, (beside_.y - each_s * beside_.x / (1 - busy)) / beside_.n), each_s};
  }
  const Line line = beside_.rising_line();
  return {line.start, line.slope};
}

// Where the sizes of messages do not matter, an iteration counts as a byte each way.
Scenario Observations::scenario(Index iterations, double now_s) const {
  Scenario scenario;
  scenario.loop = LoopCost::uniform(iterations, 1);
  const Overhead overhead = this->overhead(now_s);
  const std::optional<double> known = bandwidth();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double by_chunks = overhead.each_s > 0 ? 2 / overhead.each_s : infinite;
  scenario.links.push_back(std::make_shared<communication::LinearCosts>(
      communication::LinearCosts::Parameters{overhead.fixed_s / 2, known.value_or(by_chunks), infinite}));
  scenario.bytes = known ? ChunkBytes{0, 0, farm_.input_each, farm_.result_each} : ChunkBytes{0, 0, 1, 1};
  if (known) scenario.ports = PortOrder::shared;
  scenario.master.near.order_s = scenario.master.near.report_s = near_s() / 2;
  scenario.prefetch = farm_.prefetch;
  scenario.reissue = farm_.reissue;
  const double deviation = chunk_deviation();
  scenario.scatter = {0, deviation * deviation * mean_size()};
  constexpr double least_iteration_s = 1e-12;  // an empty loop still has an order of events
  for (const Worker& worker : workers_) {
    WorkerModel model;
    model.speed = 1 / std::max(iteration_s(worker, now_s), least_iteration_s);
    if (!is_near(worker)) model.link = 0;
    scenario.workers.push_back(std::move(model));
  }
  return scenario;
}

Eta::Eta(const SchedulerTable& schedulers, std::string spec, Index iterations)
    : schedulers_(schedulers), spec_(std::move(spec)), iterations_(iterations) {}

void Eta::predict(const Observations& observations, double now_s) {
  if (!observations.has_any()) return;
  Scenario scenario = observations.scenario(iterations_, now_s);
  scenario.scatter = {};
  FarmSimulation simulation(
      scenario, schedulers_.make(spec_, {iterations_, static_cast<Index>(observations.workers())}));
  simulation.on_chunk([this](const ChunkRecord& chunk) { add_step(chunk); });
  steps_.assign(1, Step{});
  last_ = {};
  chunks_ = 0;
  each_ = 1;
  simulation.run();
  steps_.push_back(last_);
}

void Eta::add_step(const ChunkRecord& chunk) {
  constexpr std::size_t most_steps = 8192;
  if (chunk.is_duplicate) return;
  last_ = {chunk.returned_s, last_.done + chunk.chunk.size};
  if (++chunks_ % each_ != 0) return;
  steps_.push_back(last_);
  if (steps_.size() < most_steps) return;
  for (std::size_t i = 0; 2 * i < steps_.size(); ++i) steps_[i] = steps_[2 * i];
  steps_.resize(steps_.size() / 2);
  each_ *= 2;
}

std::optional<double> Eta::end_s(Index done, double done_s, double now_s) const {
  if (steps_.size() < 2) return std::nullopt;
  const auto step = std::ranges::lower_bound(steps_, done, {}, &Step::done);
  const auto next = std::ranges::upper_bound(steps_, done, {}, &Step::done);
  const double end_s = steps_.back().at_s;
  double late_s = done_s - (step == steps_.end() ? end_s : step->at_s);
  // What should have come by now, and has not, is as late at least.
  if (next != steps_.end()) late_s = std::max(late_s, now_s - next->at_s);
  return end_s + late_s;
}

AutoScheduler::AutoScheduler(const SchedulerTable& candidates, const LoopFacts& loop,
                             const Parameters& parameters, std::function<double()> clock,
                             ChoiceRecord& record)
    : table_(candidates),
      loop_(loop),
      parameters_(parameters),
      clock_(std::move(clock)),
      record_(record),
      observations_(static_cast<std::size_t>(std::max<Index>(loop.workers, 1)), parameters.farm),
      given_(observations_.workers()) {}

Cut AutoScheduler::next(const Request& request) {
  if (begun_s_ < 0) begun_s_ = clock_();
  if (!chosen_ && is_warmed_up(request.remaining)) choose(request.remaining);
  if (chosen_) return chosen_->next(request);
  const Index size = warm_up_size(request.worker, request.remaining);
  observations_.given(request.worker, size, clock_());
  return {size};
}

void AutoScheduler::assigned(WorkerId worker, Chunk chunk) {
  if (chosen_) chosen_->assigned(worker, chunk);
}

void AutoScheduler::reclaimed(WorkerId worker, Chunk chunk) {
  if (chosen_) chosen_->reclaimed(worker, chunk);
}

void AutoScheduler::completed(const ChunkTimes& times) {
  if (chosen_) return chosen_->completed(times);
  observations_.completed(times);
}

void AutoScheduler::joined(WorkerId worker, const WorkerFacts& facts) {
  if (chosen_) chosen_->joined(worker, facts);
}

void AutoScheduler::left(WorkerId worker) {
  if (chosen_) chosen_->left(worker);
}

Learned AutoScheduler::learned() const {
  return chosen_ ? chosen_->learned() : loop_.learned;
}

bool AutoScheduler::is_warmed_up(Index remaining) const {
  if (!observations_.has_any()) return false;
  if (loop_.iterations - remaining > loop_.iterations / warm_up_part) return true;
  for (std::size_t worker = 0; worker < observations_.workers(); ++worker)
    if (observations_.computing_s(worker) < computing_wanted_s) return false;
  return true;
}

Index AutoScheduler::warm_up_size(WorkerId worker, Index remaining) {
  const Index first = std::max<Index>(1, loop_.iterations / std::max<Index>(loop_.workers, 1) / first_part);
  const Index number = at_worker(given_, worker)++;
  const auto turn = (static_cast<std::size_t>(number) + to_number(worker)) % growths.size();
  return std::min(number == 0 ? first : growths[turn] * first, remaining);
}

void AutoScheduler::choose(Index remaining) {
  const double begun_s = clock_();
  record_.survey_s = begun_s - begun_s_;
  const Scenario rest = observations_.scenario(remaining, begun_s);
  loop_.iterations = remaining;
  const std::vector<std::string> specs = table_.candidates(loop_);
  record_.candidates = static_cast<Index>(specs.size());
  record_.budget_s = parameters_.budget * (record_.survey_s + bounds_of(rest, {}).work_s);
  const std::vector<Prediction> tried = predictions(rest, in_turns(specs), begun_s);
  const Choice choice = predictor::choose(tried, table_);
  record_.tried = static_cast<Index>(tried.size());
  record_.scheduler = tried[choice.chosen].scheduler;
  for (const std::size_t i : choice.level) record_.level.push_back(tried[i].scheduler);
  chosen_ = table_.make(record_.scheduler, loop_);
  record_.choosing_s = clock_() - begun_s;
  record_.predicted_s = record_.survey_s + record_.choosing_s + tried[choice.chosen].makespan_s;
}

// In rounds, the first without deviations, the others each with its own: one run may end well by chance. The
// first candidate is simulated whatever it takes, for one there must be, and it is the coarsest; later rounds
// count if there was time for all of them, as few of them tell nothing.
std::vector<Prediction> AutoScheduler::predictions(const Scenario& rest,
                                                   const std::vector<std::string>& specs,
                                                   double begun_s) const {
  std::vector<Prediction> tried;
  const auto has_time = [&] { return tried.empty() || clock_() - begun_s < begun_within * record_.budget_s; };
  const auto makespan_s = [&](const Scenario& scenario, const std::string& spec, std::uint64_t round) {
    const auto outcome = FarmSimulation(scenario, table_.make(spec, loop_), round).run_while(has_time);
    return outcome ? std::optional(outcome->makespan_s) : std::nullopt;
  };
  Scenario even = rest;
  even.scatter = {};
  for (const std::string& spec : specs) {
    const std::optional<double> found_s = makespan_s(even, spec, 0);
    if (!found_s) break;
    tried.push_back({.scheduler = spec, .makespans_s = {*found_s}, .makespan_s = *found_s});
  }
  if (tried.size() < specs.size() || rest.scatter.deviation(1) <= negligible_deviation) return tried;
  std::vector<std::vector<double>> scattered(tried.size());
  for (std::uint64_t round = 1; round < most_rounds; ++round)
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const std::optional<double> found_s = makespan_s(rest, specs[i], round);
      if (!found_s) return tried;
      scattered[i].push_back(*found_s);
    }
  for (std::size_t i = 0; i < tried.size(); ++i) {
    tried[i].makespans_s.insert(tried[i].makespans_s.end(), scattered[i].begin(), scattered[i].end());
    tried[i].makespan_s = median_of(tried[i].makespans_s);
  }
  return tried;
}

}  // namespace loadshare::predictor
