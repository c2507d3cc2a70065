#include "runtime/dispatch/faults.hpp"

#include <algorithm>

#include "runtime/dispatch/iteration_pool.hpp"

namespace loadshare {
namespace {

constexpr std::uint32_t unknown_host = WorkerFacts::unknown_host;

bool overlap(Chunk a, Chunk b) {
  return intersection(a, b).size > 0;
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

void Faults::lost(WorkerId worker, Chunk chunk, double at_s) {
  const Home its = home(worker);
  faults_.push_back({Fault::What::loss, worker, its.process, its.host, chunk, at_s});
}

void Faults::failed(WorkerId worker, Chunk chunk) {
  const Home its = home(worker);
  if (its.host == unknown_host) return;
  faults_.push_back({Fault::What::failure, worker, its.process, its.host, chunk, 0});
}

bool Faults::failed_again(WorkerId worker, Chunk chunk) {
  const std::uint32_t host = home(worker).host;
  return take_back([&](const Fault& fault) {
    return fault.what == Fault::What::failure && fault.host != host && overlap(fault.chunk, chunk);
  });
}

bool Faults::opened(Chunk range) {
  return take_back([range](const Fault& fault) { return overlap(fault.chunk, range); });
}

/// A host that has not had enough any more is not aside.
template <class Is>
bool Faults::take_back(Is is) {
  if (faults_.empty() || std::erase_if(faults_, is) == 0) return false;
  std::erase_if(aside_, [this](std::uint32_t host) { return count(host) < most_host_faults_; });
  return true;
}

/// What an open chunk did to its workers stands, wherever they are.
void Faults::forget(WorkerId worker, Chunk returned) {
  const std::uint32_t host = home(worker).host;
  const bool is_host_sound = host != unknown_host && !is_aside(worker);
  for (Fault& fault : faults_) {
    const std::vector<Chunk> open = difference(fault.chunk, returned);
    if (open.size() < 2) fault.chunk = open.empty() ? Chunk{} : open.front();
    if (is_host_sound && fault.host == host) fault.host = unknown_host;
  }
  std::erase_if(faults_, [](const Fault& fault) {
    return fault.host == unknown_host && (fault.what == Fault::What::failure || fault.chunk.size == 0);
  });
}

/// Where everything fails, a range is suspected only if it ends a process elsewhere, too.
std::optional<Faults::Suspect> Faults::suspect(Chunk range) const {
  if (most_losses_ == 0) return std::nullopt;
  for (const Fault& first : faults_) {
    if (!overlap(first.chunk, range)) continue;
    const Index at = std::max(first.chunk.first, range.first);
    Suspect suspect{.chunk = range, .worker = {}, .since_s = 0};
    std::vector<WorkerId> processes;
    bool is_all_aside = true;
    for (const Fault& fault : faults_) {
      if (fault.what != Fault::What::loss || !overlap(fault.chunk, {at, 1})) continue;
      if (std::ranges::find(processes, fault.process) == processes.end()) processes.push_back(fault.process);
      suspect = {intersection(suspect.chunk, fault.chunk), fault.worker, fault.at_s};
      is_all_aside = is_all_aside && is_host_aside(fault.host);
    }
    if (processes.size() >= most_losses_ && !is_all_aside) return suspect;
  }
  return std::nullopt;
}

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
