#include "runtime/dispatch/faults.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/dispatch/iteration_pool.hpp"

namespace loadshare {
namespace {

constexpr std::uint32_t unknown_host = WorkerFacts::unknown_host;

Index size_of(const std::vector<Chunk>& ranges) {
  Index size = 0;
  for (const Chunk range : ranges) size += range.size;
  return size;
}

}  // namespace

Faults::Home Faults::home(WorkerId worker) const {
  return to_number(worker) < homes_.size() ? homes_[to_number(worker)] : Home{.process = worker};
}

bool Faults::joined(WorkerId worker, const WorkerFacts& facts) {
  const Home home{facts.host, facts.process.value_or(worker)};
  if (home != this->home(worker)) {
    for (auto number = static_cast<std::uint32_t>(homes_.size()); number <= to_number(worker); ++number)
      homes_.push_back({.process = WorkerId{number}});
    homes_[to_number(worker)] = home;
  }
  return take_back(
      [&](const Fault& fault) { return fault.what == Fault::What::loss && fault.process == home.process; });
}

void Faults::lost(WorkerId worker, Work work, double at_s, double now_s) {
  for (const Chunk range : work.computed) clear(range);
  const Index computed = size_of(work.computed);
  ++workers_lost_;
  worked_s_ += work.worked_s;
  computed_ += computed;
  if (work.open.empty()) return;
  const Home its = home(worker);
  // The share of the time for the iteration in which it was lost, if all iterations take equally long.
  const double worked_s = work.worked_s / static_cast<double>(computed + 1);
  faults_.push_back(
      {Fault::What::loss, worker, its.process, its.host, std::move(work.open), worked_s, at_s, now_s});
  note_where();
}

void Faults::failed(WorkerId worker, Chunk chunk) {
  const Home its = home(worker);
  if (its.host == unknown_host) return;
  faults_.push_back({Fault::What::failure, worker, its.process, its.host, {chunk}, 0, 0, 0});
  note_where();
}

bool Faults::failed_again(WorkerId worker, Chunk chunk) {
  const std::uint32_t host = home(worker).host;
  return take_back([&](const Fault& fault) {
    return fault.what == Fault::What::failure && fault.host != host && fault.overlaps(chunk);
  });
}

/// A host that has not had enough any more is not aside.
template <class Is>
bool Faults::take_back(Is is) {
  if (faults_.empty() || std::erase_if(faults_, is) == 0) return false;
  note_where();
  std::erase_if(aside_, [this](std::uint32_t host) { return count(host) < most_host_faults_; });
  return true;
}

/// These iterations ended no process.
void Faults::clear(Chunk computed) {
  for (Fault& fault : faults_) {
    if (!fault.overlaps(computed)) continue;
    std::vector<Chunk> rest;
    for (const Chunk range : fault.open)
      for (const Chunk part : difference(range, computed)) rest.push_back(part);
    fault.open = std::move(rest);
  }
  erase_past();
}

/// Losses and failures with other iterations stay recorded, on whichever host.
void Faults::forget(WorkerId worker, Chunk returned) {
  const std::uint32_t host = home(worker).host;
  if (host != unknown_host && !is_aside(worker))
    for (Fault& fault : faults_)
      if (fault.host == host) fault.host = unknown_host;
  clear(returned);
}

void Faults::erase_past() {
  std::erase_if(faults_, [](const Fault& fault) {
    return fault.host == unknown_host && (fault.what == Fault::What::failure || fault.open.empty());
  });
  note_where();
}

/// So that the many chunks that have nothing to do with any fault need not look through all of them.
void Faults::note_where() {
  open_within_ = {};
  hosts_.clear();
  for (const Fault& fault : faults_) {
    if (fault.host != unknown_host) hosts_.push_back(fault.host);
    for (const Chunk part : fault.open) {
      const bool is_first = open_within_.size == 0;
      const Index first = is_first ? part.first : std::min(part.first, open_within_.first);
      open_within_ = {first, (is_first ? part.end() : std::max(part.end(), open_within_.end())) - first};
    }
  }
  std::ranges::sort(hosts_);
}

bool Faults::is_concerned(WorkerId worker, Chunk returned) const {
  return intersection(open_within_, returned).size > 0 ||
         std::ranges::binary_search(hosts_, home(worker).host);
}

// --- Suspected iterations

bool Faults::Fault::has(Index iteration) const {
  return overlaps({iteration, 1});
}

bool Faults::Fault::overlaps(Chunk range) const {
  return std::ranges::any_of(open, [range](Chunk part) { return intersection(part, range).size > 0; });
}

/// The latest loss of each process.
std::vector<const Faults::Fault*> Faults::losses_with(Index iteration) const {
  std::vector<const Fault*> losses;
  for (const Fault& fault : faults_) {
    if (fault.what != Fault::What::loss || !fault.has(iteration)) continue;
    std::erase_if(losses, [&](const Fault* earlier) { return earlier->process == fault.process; });
    losses.push_back(&fault);
  }
  return losses;
}

/// The beginning and end of a range, and those of lost chunks within it.
std::vector<Index> Faults::borders(Chunk range) const {
  std::vector<Index> borders{range.first, range.end()};
  for (const Fault& fault : faults_) {
    if (fault.what != Fault::What::loss) continue;
    for (const Chunk part : fault.open)
      for (const Index border : {part.first, part.end()})
        if (range.first < border && border < range.end()) borders.push_back(border);
  }
  std::ranges::sort(borders);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

std::uint8_t Faults::losses(Chunk range) const {
  std::size_t most = 0;
  if (crash_limit_ == 0 || faults_.empty() || range.size == 0) return 0;
  const std::vector<Index> cuts = borders(range);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) most = std::max(most, losses_with(cuts[i]).size());
  return static_cast<std::uint8_t>(std::min<std::size_t>(most, 255));
}

std::vector<Chunk> Faults::pieces(Chunk range) const {
  if (crash_limit_ == 0 || faults_.empty() || range.size == 0) return {range};
  std::vector<Chunk> pieces;
  const std::vector<Index> cuts = borders(range);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) pieces.push_back({cuts[i], cuts[i + 1] - cuts[i]});
  return pieces;
}

double Faults::last_loss_s(Chunk range) const {
  double last_s = -std::numeric_limits<double>::infinity();
  for (const Fault* loss : losses_with(range.first)) last_s = std::max(last_s, loss->now_s);
  return last_s;
}

Index Faults::most_at_once(Chunk range) const {
  const Index up_to_cut = pieces(range).front().size;
  const std::vector<const Fault*> losses = losses_with(range.first);
  if (losses.size() < 2) return up_to_cut;
  Index narrowest = range.size;
  for (const Fault* loss : losses) narrowest = std::min(narrowest, size_of(loss->open));
  return std::min(up_to_cut, (narrowest + 1) / 2);
}

/// The probability that a worker is lost by chance, at the rate of this loop, while it computes the open
/// iterations of this loss. A chance loss comes before the work ends, so the time of all of it counts.
double Faults::chance_of(const Fault& loss) const {
  if (worked_s_ <= 0 || computed_ == 0) return 1;
  const double mean_s = worked_s_ / static_cast<double>(computed_);
  const double whole_s = std::max(loss.worked_s, mean_s * static_cast<double>(size_of(loss.open)));
  return -std::expm1(-workers_lost_ / worked_s_ * whole_s);
}

std::optional<Faults::Culprit> Faults::culprit(Chunk range, Index iterations) const {
  constexpr double unlikely = 0.003;
  // If too little else was computed to estimate a rate, this multiple of the limit is enough.
  constexpr std::size_t at_any_rate = 4;
  if (crash_limit_ == 0 || range.size != 1) return std::nullopt;
  const std::vector<const Fault*> losses = losses_with(range.first);
  if (losses.size() < crash_limit_) return std::nullopt;
  const auto is_alone = [](const Fault* loss) { return loss->open.size() == 1 && loss->open[0].size == 1; };
  if (std::ranges::none_of(losses, is_alone)) return std::nullopt;
  // On a host on which everything fails, an iteration is to blame only if it ends a process elsewhere, too.
  if (std::ranges::all_of(losses, [this](const Fault* loss) { return is_host_aside(loss->host); }))
    return std::nullopt;
  double chance = static_cast<double>(iterations);
  for (const Fault* loss : losses) chance *= chance_of(*loss);
  if (chance > unlikely && losses.size() < at_any_rate * crash_limit_) return std::nullopt;
  return Culprit{range.first, losses.back()->worker, losses.back()->at_s};
}

// --- Hosts

/// Failures, and processes that were lost.
std::uint32_t Faults::count(std::uint32_t host) const {
  std::uint32_t failures = 0;
  std::vector<WorkerId> processes;
  for (const Fault& fault : faults_) {
    if (fault.host != host) continue;
    if (fault.what == Fault::What::failure)
      ++failures;
    else if (std::ranges::find(processes, fault.process) == processes.end())
      processes.push_back(fault.process);
  }
  return failures + static_cast<std::uint32_t>(processes.size());
}

bool Faults::has_enough(WorkerId worker) const {
  const std::uint32_t host = home(worker).host;
  return most_host_faults_ > 0 && host != unknown_host && count(host) >= most_host_faults_;
}

bool Faults::is_sound_beside(WorkerId worker, WorkerId other) const {
  const std::uint32_t host = home(worker).host;
  return host != unknown_host && host != home(other).host && count(host) == 0;
}

bool Faults::is_aside(WorkerId worker) const {
  return is_host_aside(home(worker).host);
}

bool Faults::is_host_aside(std::uint32_t host) const {
  return host != unknown_host && std::ranges::find(aside_, host) != aside_.end();
}

}  // namespace loadshare
