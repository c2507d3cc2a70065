#include "models/farm/auto_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "base/statistics.hpp"
#include "models/farm/farm_simulation.hpp"

namespace loadshare::predictor {
namespace {

constexpr double usual_budget_percent = 1;
constexpr double most_budget_percent = 50;

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
/// New simulations begin only within this part of what is left of the budget: the host may be stopped during
/// one, and there may be another look.
constexpr double begun_within = 0.5;
/// Chunks that scatter less do not decide between candidates.
constexpr double negligible_deviation = 1e-3;
/// Speeds that are not known when this part of the loop is given are guessed.
constexpr Index part_to_know_by = 4;
/// Who is foreseen to save more than this part of the whole run takes over: forecasts by so few chunks are no
/// better.
constexpr double worth_a_change = 0.1;
/// By all of an earlier run they are.
constexpr double worth_a_beginning = 0.03;

bool is_clearly_earlier(const Prediction& one, const Prediction& other, double elapsed_s) {
  const double part = elapsed_s > 0 ? worth_a_change : worth_a_beginning;
  return other.makespan_s - one.makespan_s > part * (elapsed_s + other.makespan_s);
}

/// The technique that auto begins with, of those there are.
std::string first_of(const SchedulerTable& table, const LoopFacts& loop) {
  constexpr const char* usual = "steady";
  const auto& entries = table.entries();
  if (std::ranges::find(entries, usual, &SchedulerEntry::name) != entries.end()) return usual;
  return table.candidates(loop).front();
}

}  // namespace

SchedulerEntry auto_entry(MakeScheduler make) {
  return {"auto",
          "steady, until the predictor finds a technique that would save a tenth of the run",
          {{"budget", short_number_text(usual_budget_percent),
            "percent of the predicted makespan that choosing may take"}},
          std::move(make)};
}

SchedulerTable farm_schedulers() {
  SchedulerTable table = built_in_schedulers();
  table.add(auto_entry([](const SchedulerSpec&, const LoopFacts&) -> std::unique_ptr<ChunkScheduler> {
    throw UsageError("auto cannot be used here", "it chooses by the measured chunks of a running program",
                     "name another scheduler, or give auto to a farm application");
  }));
  return table;
}

double choosing_budget(const SchedulerSpec& spec) {
  return spec.real("budget", 1, most_budget_percent).value_or(usual_budget_percent) / 100;
}

/// What is compared at an instant of the run.
struct AutoScheduler::Look {
  LoopFacts facts;      // of the rest
  LoopFacts simulated;  // the same, for the workers of the scenario
  Scenario rest;
  std::vector<std::string> specs;  // the first goes on now
  double elapsed_s = 0;            // of the run
  double begun_s = 0;              // by clock_
  double until_s = 0;              // no simulation begins after that
};

AutoScheduler::AutoScheduler(const SchedulerTable& candidates, const LoopFacts& loop,
                             const Parameters& parameters, std::function<double()> clock,
                             ChoiceRecord& record)
    : table_(candidates),
      loop_(loop),
      parameters_(parameters),
      clock_(std::move(clock)),
      record_(record),
      observations_(static_cast<std::size_t>(std::max<Index>(loop.workers, 1)), parameters.farm) {
  take_speeds();
  record_.scheduler = table_.parse(first_of(table_, loop_)).text();
  record_.level = {record_.scheduler};
  if (parameters_.earlier) begin_as_known();
  if (!current_) current_ = table_.make(record_.scheduler, loop_);
}

// Who is not known counts as the mean.
void AutoScheduler::take_speeds() {
  std::vector<double>& speeds = parameters_.speeds;
  const auto is_known = [](double speed) { return speed > 0; };
  const auto known = std::ranges::count_if(speeds, is_known);
  if (known == 0) return speeds.clear();
  const double mean = std::accumulate(speeds.begin(), speeds.end(), 0.0) / static_cast<double>(known);
  std::ranges::replace_if(speeds, std::not_fn(is_known), mean);
  loop_.weights = speeds;
}

// As if the technique had run then, and the farm runs the same loop again.
void AutoScheduler::begin_as_known() {
  const std::unique_ptr<ChunkScheduler> then = table_.make(record_.scheduler, loop_);
  earlier_.emplace(observations_);
  replay(*parameters_.earlier, [&](const ChunkTimes& times, double given_s) {
    if (!earlier_->was_given(times.worker)) earlier_->given(times.worker, times.chunk.size, given_s);
    earlier_->completed(times);
    then->completed(times);
  });
  if (loop_.learned.rates.empty()) loop_.learned = then->learned();
  if (!earlier_->has_all()) return earlier_.reset();
  current_ = table_.make(record_.scheduler, loop_);
  look(loop_.iterations, parameters_.earlier->makespan_s);
}

/// What tells more of the workers.
const Observations& AutoScheduler::basis() const {
  return earlier_ && !observations_.has_all() ? *earlier_ : observations_;
}

Cut AutoScheduler::next(const Request& request) {
  if (!begun_s_) begun_s_ = request.now_s;
  if (wants_to_look(request.remaining)) look(request.remaining, request.now_s);
  const Cut cut = current_->next(request);
  observations_.given(request.worker, cut.size, request.now_s);
  return cut;
}

AutoScheduler::Member& AutoScheduler::member(WorkerId worker) {
  if (to_number(worker) >= members_.size()) members_.resize(to_number(worker) + std::size_t{1});
  return members_[to_number(worker)];
}

void AutoScheduler::assigned(WorkerId worker, Chunk chunk) {
  member(worker).held.push_back(chunk);
  current_->assigned(worker, chunk);
}

// Parts of a chunk may come back by themselves.
void AutoScheduler::let_go(WorkerId worker, Chunk chunk) {
  std::vector<Chunk>& held = member(worker).held;
  const auto place = std::ranges::find_if(
      held, [chunk](const Chunk& one) { return one.first <= chunk.first && chunk.first < one.end(); });
  if (place == held.end()) return;
  place->size -= chunk.size;
  if (place->size <= 0) held.erase(place);
}

void AutoScheduler::reclaimed(WorkerId worker, Chunk chunk) {
  let_go(worker, chunk);
  current_->reclaimed(worker, chunk);
}

void AutoScheduler::completed(const ChunkTimes& times) {
  let_go(times.worker, times.chunk);
  observations_.completed(times);
  current_->completed(times);
}

void AutoScheduler::joined(WorkerId worker, const WorkerFacts& facts) {
  WorkerFacts known = facts;
  const std::size_t number = to_number(worker);
  if (number < parameters_.speeds.size()) known.weight = parameters_.speeds[number];
  member(worker).facts = known;
  member(worker).has_left = false;
  current_->joined(worker, known);
}

void AutoScheduler::left(WorkerId worker) {
  member(worker) = {};
  member(worker).has_left = true;
  current_->left(worker);
}

Index AutoScheduler::present() const {
  return std::ranges::count_if(members_, [](const Member& one) { return one.facts.has_value(); });
}

/// By half, since the last look.
bool AutoScheduler::has_farm_changed() const {
  const Index now = present();
  return present_then_ > 0 && now > 0 && 2 * std::abs(now - present_then_) >= present_then_;
}

bool AutoScheduler::wants_to_look(Index remaining) const {
  if (!observations_.has_any()) return false;
  if (looked_at_) return remaining > loop_.workers && (2 * remaining <= *looked_at_ || has_farm_changed());
  return observations_.has_all() || loop_.iterations - remaining > loop_.iterations / part_to_know_by;
}

void AutoScheduler::look(Index remaining, double now_s) {
  Look look;
  look.begun_s = clock_();
  if (has_farm_changed()) loop_.workers = present();
  present_then_ = present();
  look.rest = basis().scenario(remaining, now_s);
  const Learned learned = current_->learned();
  look.facts = {.iterations = remaining, .workers = loop_.workers};
  look.facts.learned = {.rates = basis().rates(), .overhead = learned.overhead};
  look.simulated = look.facts;
  leave_out_who_left(look);
  look.specs = specs(look.facts);
  look.elapsed_s = begun_s_ ? now_s - *begun_s_ : 0;
  if (!looked_at_) record_.survey_s = look.elapsed_s;
  looked_at_ = remaining;
  record_.budget_s = parameters_.budget * (look.elapsed_s + bounds_of(look.rest, {}).work_s);
  look.until_s = look.begun_s + begun_within * (record_.budget_s - record_.choosing_s);
  const std::vector<Prediction> tried = predictions(look);
  if (!tried.empty()) judge(look, tried);
  record_.choosing_s += clock_() - look.begun_s;
}

// The scenario's workers are those who have been given something, by number.
void AutoScheduler::leave_out_who_left(Look& look) const {
  std::vector<double>& rates = look.simulated.learned.rates;
  for (std::size_t number = std::min(members_.size(), look.rest.workers.size()); number-- > 0;) {
    if (!members_[number].has_left || look.rest.workers.size() == 1) continue;
    const auto place = static_cast<std::ptrdiff_t>(number);
    look.rest.workers.erase(look.rest.workers.begin() + place);
    if (number < rates.size()) rates.erase(rates.begin() + place);
  }
}

void AutoScheduler::judge(const Look& look, std::vector<Prediction> tried) {
  record_.tried = static_cast<Index>(tried.size());
  record_.candidates = static_cast<Index>(look.specs.size());
  const auto is_no_better = [&look, current = tried.front()](const Prediction& one) {
    return !is_clearly_earlier(one, current, look.elapsed_s);
  };
  tried.erase(std::remove_if(tried.begin() + 1, tried.end(), is_no_better), tried.end());
  if (tried.size() > 1) add_scattered(look, tried);
  const Choice choice = predictor::choose(tried, table_);
  const bool is_better = is_clearly_earlier(tried[choice.best], tried.front(), look.elapsed_s);
  const Prediction& chosen = tried[is_better ? choice.best : 0];
  record_.level.clear();
  for (const std::size_t i : choice.level) record_.level.push_back(tried[i].scheduler);
  if (std::ranges::find(record_.level, chosen.scheduler) == record_.level.end())
    record_.level.push_back(chosen.scheduler);
  record_.predicted_s = look.elapsed_s + chosen.makespan_s;
  if (is_better) hand_over(chosen.scheduler, look.facts);
}

// The one that goes on now, then each technique's first candidates, then its second ones.
std::vector<std::string> AutoScheduler::specs(const LoopFacts& rest) const {
  std::vector<std::string> all = in_turns(table_.candidates(rest));
  std::erase(all, record_.scheduler);
  all.insert(all.begin(), record_.scheduler);
  return all;
}

void AutoScheduler::hand_over(const std::string& spec, const LoopFacts& rest) {
  record_.scheduler = spec;
  current_ = table_.make(spec, rest);
  for (std::uint32_t number = 0; number < members_.size(); ++number) {
    const Member& member = members_[number];
    if (member.facts) current_->joined(WorkerId{number}, *member.facts);
    for (const Chunk& chunk : member.held) current_->assigned(WorkerId{number}, chunk);
  }
}

std::optional<double> AutoScheduler::makespan_s(const Look& look, const Scenario& scenario,
                                                const std::string& spec, std::uint64_t round) const {
  const auto outcome = FarmSimulation(scenario, table_.make(spec, look.simulated), round).run_while([&] {
    return clock_() < look.until_s;
  });
  return outcome ? std::optional(outcome->makespan_s) : std::nullopt;
}

std::vector<Prediction> AutoScheduler::predictions(const Look& look) const {
  std::vector<Prediction> tried;
  Scenario even = look.rest;
  even.scatter = {};
  for (const std::string& spec : look.specs) {
    const std::optional<double> found_s = makespan_s(look, even, spec, 0);
    if (!found_s) break;
    tried.push_back({.scheduler = spec, .makespans_s = {*found_s}, .makespan_s = *found_s});
  }
  return tried;
}

// In rounds with deviations, each with its own: one run may end well by chance. They count if there was time
// for all of them, as few of them tell nothing.
void AutoScheduler::add_scattered(const Look& look, std::vector<Prediction>& tried) const {
  if (look.rest.scatter.deviation(1) <= negligible_deviation) return;
  std::vector<std::vector<double>> scattered(tried.size());
  for (std::uint64_t round = 1; round < most_rounds; ++round)
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const std::optional<double> found_s = makespan_s(look, look.rest, tried[i].scheduler, round);
      if (!found_s) return;
      scattered[i].push_back(*found_s);
    }
  for (std::size_t i = 0; i < tried.size(); ++i) {
    tried[i].makespans_s.insert(tried[i].makespans_s.end(), scattered[i].begin(), scattered[i].end());
    tried[i].makespan_s = median_of(tried[i].makespans_s);
  }
}

}  // namespace loadshare::predictor
