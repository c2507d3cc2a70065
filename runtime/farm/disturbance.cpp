#include "runtime/farm/disturbance.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "runtime/host/cgroup_quota.hpp"
#include "runtime/load/pinned_thread.hpp"
#include "runtime/timing/clock.hpp"

namespace loadshare {

namespace {

/// Different ranks of a host take different processors, also where mpirun deals them out to its sockets in
/// turn. Where every rank has a host of its own, the hosts may still be made up and share one machine's
/// processors.
int place_number(const Transport& transport) {
  return transport.local_ranks() > 1 ? transport.number_on_cpus() : transport.rank();
}

int pick(const std::vector<int>& cpus, int number) {
  return cpus.empty() ? 0 : cpus[static_cast<std::size_t>(number) % cpus.size()];
}

}  // namespace

Disturbance::Disturbance(const LoadSpec& spec) : spec_(spec), cpus_(allowed_cpus()) {
  loaded_.push_back({0, 0, std::make_unique<LoadProcess>(spec), {}});
}

Disturbance::Disturbance(const LoadSpec& spec, std::size_t workers) : spec_(spec), cpus_(allowed_cpus()) {
  const int count = static_cast<int>(workers);
  require_ranks(spec, count + 1);
  const double capacity = capacity_of_one(count);
  for (int rank = 0; rank <= count; ++rank) {
    std::optional<std::size_t> worker;
    if (rank > 0) worker = static_cast<std::size_t>(rank - 1);
    if (!spec.loads(rank, worker.has_value())) continue;
    const int number = rank > 0 ? rank - 1 : count;
    loaded_.push_back({rank, worker, std::make_unique<LoadProcess>(spec), {pick(cpus_, number), capacity}});
  }
}

void Disturbance::settle(const Transport& transport, MasterMode master) {
  if (transport.name() != "mpi") return;
  require_ranks(spec_, transport.ranks());
  const bool computes = !transport.is_master() || master == MasterMode::works || transport.ranks() == 1;
  if (!spec_.loads(transport.rank(), computes)) return loaded_.clear();
  Loaded& here = loaded_.front();
  here.rank = transport.rank();
  if (!computes) here.worker.reset();
  here.place = {pick(cpus_, place_number(transport)), capacity_of_one(transport.local_ranks())};
}

std::optional<int> Disturbance::cpu_of(std::optional<std::size_t> worker) const {
  const auto found = std::ranges::find(loaded_, worker, &Loaded::worker);
  return found == loaded_.end() ? std::nullopt : std::optional(found->place.cpu);
}

std::optional<int> Disturbance::cpu_of_worker(std::size_t worker) const {
  return cpu_of(worker);
}

std::optional<int> Disturbance::cpu_of_master() const {
  return cpu_of(std::nullopt);
}

void Disturbance::arm(Transport& transport) {
  const double lead_s = transport.ranks() > 1 ? 20e-3 : 2e-3;
  const double master_s = std::stod(transport.from_master(std::to_string(monotonic_s() + lead_s)));
  zero_s_ = master_s + transport.clock_offset_s();
  for (const Loaded& one : loaded_) one.process->arm(one.rank, one.place, zero_s_);
}

void Disturbance::await_start() const {
  const double left_s = zero_s_ - monotonic_s();
  if (left_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left_s));
}

std::vector<LoadReport> Disturbance::stop() {
  std::vector<LoadReport> reports;
  for (const Loaded& one : loaded_) {
    const std::optional<LoadMeasure> measure = one.process->stop();
    reports.push_back(
        {one.rank, one.place.cpu, one.place.capacity, !measure, measure.value_or(LoadMeasure{})});
  }
  return reports;
}

}  // namespace loadshare
