#include "runtime/transport/mpi/mpi_session.hpp"

#include <algorithm>

#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/scheduling.hpp"

namespace loadshare::mpi {

namespace {

bool sees_masters_memory(const Group& group, int rank, const DataLayout& layout) {
  return rank == group.master_rank() || (group.is_on_masters_host(rank) && layout.is_host_shared());
}

std::vector<WorkerId> choose_workers(const Group& group, const DataLayout& layout, bool by_channel) {
  std::vector<WorkerId> chosen;
  for (std::uint32_t i = 0; i < group.worker_ranks().size(); ++i)
    if (sees_masters_memory(group, group.worker_ranks()[i], layout) == by_channel)
      chosen.push_back(WorkerId{i});
  return chosen;
}

std::optional<WorkerId> worker_here(const Group& group) {
  const auto place = std::ranges::find(group.worker_ranks(), group.rank());
  if (place == group.worker_ranks().end()) return std::nullopt;
  return WorkerId{static_cast<std::uint32_t>(place - group.worker_ranks().begin())};
}

ControlShape control_shape(const Group& group, const RunPlan& plan, DataLayout& layout) {
  ControlShape shape{.prefetch = plan.prefetch, .pieces = SharedInput::count_pieces(layout)};
  if (!group.is_on_masters_host(group.rank())) return shape;
  shape.channels = choose_workers(group, layout, true).size();
  shape.claims = claims_needed(plan);
  return shape;
}

/// How many threads of this run a rank adds to its host, and where they may run.
struct Footprint {
  cpu_set_t cpus;
  int threads;
};

Footprint footprint_here(const Group& group, const DataLayout& layout) {
  Footprint own{allowed_cpu_set(), 1};
  // A working master computes beside its dispatching; a worker that gets messages, beside carrying them.
  const bool has_two =
      worker_here(group) && (group.is_master() || !sees_masters_memory(group, group.rank(), layout));
  if (has_two) own.threads = 2;
  return own;
}

/// `auto` resolved: may this rank spin, with all that may run where it runs?
WaitPolicy policy_here(const Group& group, const RunPlan& plan, const DataLayout& layout) {
  const Footprint own = footprint_here(group, layout);
  std::vector<Footprint> all(static_cast<std::size_t>(group.machine().size()));
  check(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, group.machine().get()),
        "MPI_Allgather");
  cpu_set_t cores = own.cpus;
  int threads = 0;
  for (const Footprint& other : all) {
    cpu_set_t common;
    CPU_AND(&common, &own.cpus, &other.cpus);
    if (CPU_COUNT(&common) == 0) continue;
    CPU_OR(&cores, &cores, &other.cpus);
    threads += other.threads;
  }
  // Who spins under a quota is stopped for the rest of each period, just when there is work.
  const double quota = cgroup_cpu_quota().value_or(CPU_COUNT(&cores));
  return resolve(plan.wait, threads, std::min(CPU_COUNT(&cores), static_cast<int>(quota)));
}

}  // namespace

MpiMaster::MpiMaster(const Group& group, DataLayout& layout, ControlBlock& control, SharedInput& shared,
                     const std::vector<WorkerId>& by_channel, const std::vector<WorkerId>& by_message,
                     Waiter waiter, double capacity)
    : sender_(group, shared),
      channels_(control, waiter),
      messages_(group, layout, control, sender_, by_message),
      by_channel_(by_channel),
      channel_of_(group.worker_ranks().size(), no_channel),
      nap_(capacity) {
  for (std::size_t channel = 0; channel < by_channel_.size(); ++channel)
    channel_of_[to_number(by_channel_[channel])] = channel;
}

std::size_t MpiMaster::poll(std::span<Event> events) {
  std::size_t count = channels_.poll(events);
  for (Event& event : events.first(count)) event.worker = by_channel_[to_number(event.worker)];
  const bool has_sent = sender_.progress();
  if (messages_.has_peers()) count += messages_.poll(events.subspan(count));
  if (count > 0 || has_sent) nap_.has_moved();
  return count;
}

void MpiMaster::wait(double limit_s) {
  if (!messages_.has_peers() && sender_.is_done()) return channels_.wait(limit_s);
  // MPI cannot wake a sleeper, so it is looked at again soon.
  channels_.nap(std::min(nap_.next(), limit_s));
}

void MpiMaster::give(WorkerId worker, const Assignment& assignment) {
  const std::size_t channel = channel_of_[to_number(worker)];
  if (channel == no_channel) return messages_.give(worker, assignment);
  Order order;
  order.id = assignment.id;
  order.chunk = assignment.chunk;
  channels_.give(channel, order);
}

void MpiMaster::stop() {
  channels_.stop();
  messages_.stop();
}

std::string MpiMaster::failure_text(WorkerId worker) {
  const std::size_t channel = channel_of_[to_number(worker)];
  return channel == no_channel ? messages_.failure_text(worker) : channels_.failure_text(channel);
}

std::size_t MpiSession::control_bytes(const Group& group, const RunPlan& plan, DataLayout& layout) {
  return ControlBlock::bytes(control_shape(group, plan, layout));
}

MpiSession::MpiSession(const Group& group, const RunPlan& plan, DataLayout& layout,
                       std::span<std::byte> control)
    : group_(group),
      by_channel_(choose_workers(group, layout, true)),
      control_(control_shape(group, plan, layout), control.data()),
      shared_(layout, control_),
      capacity_(capacity_of_one(group.machine().size())),
      policy_(policy_here(group, plan, layout)) {
  make_worker(plan, layout);
  if (group.is_master()) {
    shared_.mark_all_raw();
    master_ = std::make_unique<MpiMaster>(group, layout, control_, shared_, by_channel_,
                                          choose_workers(group, layout, false), Waiter(policy_), capacity_);
  }
  check(MPI_Barrier(group.all().get()), "MPI_Barrier");
}

void MpiSession::make_worker(const RunPlan& plan, DataLayout& layout) {
  const std::optional<WorkerId> worker = worker_here(group_);
  if (!worker) return;
  if (sees_masters_memory(group_, group_.rank(), layout)) {
    const auto channel =
        static_cast<std::size_t>(std::ranges::find(by_channel_, *worker) - by_channel_.begin());
    workers_.push_back(std::make_unique<ChannelWorker>(*worker, channel, control_, shared_, policy_,
                                                       make_shared_placement(plan, layout, control_)));
    return;
  }
  message_worker_ = std::make_unique<MessageWorker>(group_, layout, control_, shared_, plan.prefetch, *worker,
                                                    policy_, capacity_);
  workers_.push_back(message_worker_->take_end());
}

}  // namespace loadshare::mpi
