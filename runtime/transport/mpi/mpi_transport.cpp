#include "runtime/transport/mpi/mpi_transport.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/transport/channels.hpp"
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/message_hub.hpp"
#include "runtime/transport/mpi/message_worker.hpp"
#include "runtime/transport/mpi/poll_nap.hpp"

namespace loadshare {

namespace mpi {

namespace {

/// Zeroed memory, aligned to a cache line, that all ranks of one host see: an MPI shared-memory window that
/// the host's leader owns. Making and ending it is collective over the host.
class SharedWindow {
 public:
  /// Throws Error(run_failed), on all ranks of the host, when it has no room for `bytes`. With
  /// Pages::when_used it may hold anything.
  SharedWindow(const Communicator& host, std::size_t bytes, Pages pages);
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::span<std::byte> bytes_;
};

SharedWindow::SharedWindow(const Communicator& host, std::size_t bytes, Pages pages) {
  if (bytes == 0) return;
  constexpr std::size_t line = 64;
  const bool is_owner = host.rank() == 0;
  void* base = nullptr;
  const auto own = static_cast<MPI_Aint>(is_owner ? bytes + line : 0);
  check(MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, host.get(), &base, &window_),
        "MPI_Win_allocate_shared");
  MPI_Aint size = 0;
  int unit = 0;
  check(MPI_Win_shared_query(window_, 0, &size, &unit, &base), "MPI_Win_shared_query");
  // All ranks map whole pages, so that the distance to the next cache line is the same for each.
  std::size_t room = bytes + line;
  bytes_ = {static_cast<std::byte*>(std::align(line, bytes, base, room)), bytes};
  if (pages == Pages::when_used) return;
  // A window of one rank is plain memory, which Open MPI does not clear.
  if (is_owner) std::memset(bytes_.data(), 0, bytes);
  check(MPI_Barrier(host.get()), "MPI_Barrier");
  if (!is_owner) populate(bytes_);
}

// Freeing is collective: with an error on its way out the others may be elsewhere, and the process ends
// anyway.
SharedWindow::~SharedWindow() {
  if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() == 0) MPI_Win_free(&window_);
}

/// The master's end under MPI: channels to the workers that see its memory, messages to the others.
class MpiMaster final : public MasterEnd {
 public:
  MpiMaster(const Group& group, DataLayout& layout, ControlBlock& control, std::span<std::byte> aside,
            SharedInput& shared, const std::vector<WorkerId>& by_channel,
            const std::vector<WorkerId>& by_message, Waiter waiter, double capacity);

  std::size_t poll(std::span<Event> events) override;
  void wait(double limit_s) override;
  void give(WorkerId worker, const Assignment& assignment) override;
  void recall(WorkerId worker, ChunkId id, Recall recall) override;
  void publish(WorkerId worker, ChunkId id, Chunk part) override;
  void release(WorkerId worker, ChunkId id) override;
  std::optional<ChunkProgress> progress(WorkerId worker) override;
  Failure take_failure(WorkerId worker) override;
  void stop() override;
  std::optional<double> shared_input_done_s() const override { return sender_.done_s(); }

 private:
  static constexpr std::size_t no_channel = SIZE_MAX;

  std::size_t channel_of(WorkerId worker) const { return channel_of_[to_number(worker)]; }
  std::size_t poll_channels(std::span<Event> events);

  SharedSender sender_;
  ChannelMaster channels_;
  MessageHub messages_;
  const std::vector<WorkerId> by_channel_;
  std::vector<std::size_t> channel_of_;  // by worker
  PollNap nap_;
  bool begins_with_messages_ = false;  // the next round of polling
};

/// What this rank's host needs in shared memory for a run.
struct HostMemory {
  std::span<std::byte> control;  ///< zeroed
  std::span<std::byte> aside;    ///< for results; elsewhere than at the master's, none
};

/// One run under MPI on one rank.
class MpiSession final : public Session {
 public:
  /// Bytes of the control block that this rank's host needs for a run.
  static std::size_t control_bytes(const Group& group, const RunPlan& plan, DataLayout& layout);
  /// Bytes that it needs for results that land aside.
  static std::size_t aside_bytes(const Group& group, const RunPlan& plan, const DataLayout& layout);
  /// Collective; returns when all ranks are ready.
  MpiSession(const Group& group, const RunPlan& plan, DataLayout& layout, const HostMemory& memory);
  ~MpiSession() override;

  MasterEnd* master() override { return master_.get(); }
  std::span<const std::unique_ptr<WorkerEnd>> workers() override { return workers_; }
  bool needs_pump() const override { return message_worker_ != nullptr; }
  void pump() override { message_worker_->pump(); }
  WaitPolicy wait_policy() const override { return policy_; }

 private:
  void make_worker(const RunPlan& plan, DataLayout& layout, std::span<std::byte> aside);

  const Group& group_;
  std::vector<WorkerId> by_channel_;
  ControlBlock control_;
  SharedInput shared_;
  double capacity_;  // what each of this host's ranks may have of a processor
  WaitPolicy policy_;
  std::unique_ptr<MessageWorker> message_worker_;
  std::vector<std::unique_ptr<WorkerEnd>> workers_;
  std::unique_ptr<MpiMaster> master_;
};

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

MpiMaster::MpiMaster(const Group& group, DataLayout& layout, ControlBlock& control,
                     std::span<std::byte> aside, SharedInput& shared, const std::vector<WorkerId>& by_channel,
                     const std::vector<WorkerId>& by_message, Waiter waiter, double capacity)
    : sender_(group, shared),
      channels_(control, waiter, layout, aside),
      messages_(group, layout, sender_, by_message),
      by_channel_(by_channel),
      channel_of_(group.worker_ranks().size(), no_channel),
      nap_(capacity) {
  for (std::size_t channel = 0; channel < by_channel_.size(); ++channel)
    channel_of_[to_number(by_channel_[channel])] = channel;
}

std::size_t MpiMaster::poll_channels(std::span<Event> events) {
  const std::size_t count = channels_.hub().poll(events);
  for (Event& event : events.first(count)) event.worker = by_channel_[to_number(event.worker)];
  return count;
}

// Those that were looked at last begin the next round, for the first may leave the others no room.
std::size_t MpiMaster::poll(std::span<Event> events) {
  const bool has_sent = sender_.progress();
  begins_with_messages_ = messages_.has_peers() && !begins_with_messages_;
  std::size_t count = begins_with_messages_ ? messages_.poll(events) : poll_channels(events);
  if (begins_with_messages_)
    count += poll_channels(events.subspan(count));
  else if (messages_.has_peers())
    count += messages_.poll(events.subspan(count));
  if (count > 0 || has_sent) nap_.has_moved();
  return count;
}

void MpiMaster::wait(double limit_s) {
  if (!messages_.has_peers() && sender_.is_done()) return channels_.hub().wait(limit_s);
  // MPI cannot wake a sleeper, so it is looked at again soon.
  channels_.hub().nap(std::min(nap_.next(), limit_s));
}

void MpiMaster::give(WorkerId worker, const Assignment& assignment) {
  const std::size_t channel = channel_of(worker);
  if (channel == no_channel) return messages_.give(worker, assignment);
  channels_.give(channel, assignment);
}

void MpiMaster::recall(WorkerId worker, ChunkId id, Recall recall) {
  const std::size_t channel = channel_of(worker);
  if (channel == no_channel) return messages_.recall(worker, id, recall);
  channels_.recall(channel, id, recall);
}

void MpiMaster::publish(WorkerId worker, ChunkId id, Chunk part) {
  const std::size_t channel = channel_of(worker);
  if (channel == no_channel) return messages_.publish(worker, part);
  channels_.publish(channel, id, part);
}

void MpiMaster::release(WorkerId worker, ChunkId id) {
  if (const std::size_t channel = channel_of(worker); channel != no_channel) channels_.release(channel, id);
}

std::optional<ChunkProgress> MpiMaster::progress(WorkerId worker) {
  const std::size_t channel = channel_of(worker);
  return channel == no_channel ? messages_.progress(worker) : channels_.progress(channel);
}

Failure MpiMaster::take_failure(WorkerId worker) {
  const std::size_t channel = channel_of(worker);
  return channel == no_channel ? messages_.take_failure(worker) : channels_.hub().take_failure(channel);
}

void MpiMaster::stop() {
  channels_.hub().stop();
  messages_.stop();
}

std::size_t MpiSession::control_bytes(const Group& group, const RunPlan& plan, DataLayout& layout) {
  return ControlBlock::bytes(control_shape(group, plan, layout));
}

std::size_t MpiSession::aside_bytes(const Group& group, const RunPlan& plan, const DataLayout& layout) {
  if (!group.is_on_masters_host(group.rank())) return 0;
  return AsideMemory::bytes_for(plan, choose_workers(group, layout, true).size(), layout);
}

MpiSession::MpiSession(const Group& group, const RunPlan& plan, DataLayout& layout, const HostMemory& memory)
    : group_(group),
      by_channel_(choose_workers(group, layout, true)),
      control_(control_shape(group, plan, layout), memory.control.data()),
      shared_(layout, control_),
      capacity_(capacity_of_one(group.machine().size())),
      policy_(policy_here(group, plan, layout)) {
  // For profilers: what counts begins before the first receive is posted for it, and ends with the run.
  check(MPI_Pcontrol(1), "MPI_Pcontrol");
  make_worker(plan, layout, memory.aside);
  if (group.is_master()) {
    shared_.mark_all_raw();
    master_ = std::make_unique<MpiMaster>(group, layout, control_, memory.aside, shared_, by_channel_,
                                          choose_workers(group, layout, false), Waiter(policy_), capacity_);
  }
  check(MPI_Barrier(group.all().get()), "MPI_Barrier");
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() == 0) MPI_Pcontrol(0);
}

void MpiSession::make_worker(const RunPlan& plan, DataLayout& layout, std::span<std::byte> aside) {
  const std::optional<WorkerId> worker = worker_here(group_);
  if (!worker) return;
  if (sees_masters_memory(group_, group_.rank(), layout)) {
    const auto channel =
        static_cast<std::size_t>(std::ranges::find(by_channel_, *worker) - by_channel_.begin());
    workers_.push_back(std::make_unique<ChannelWorker>(*worker, channel, control_, shared_, policy_,
                                                       std::make_unique<InSharedMemory>(layout, aside)));
    return;
  }
  message_worker_ = std::make_unique<MessageWorker>(group_, layout, control_, shared_, plan.prefetch, *worker,
                                                    policy_, capacity_);
  workers_.push_back(message_worker_->take_end());
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));
}

/// How many ranks before this one, of the same machine, may use the very same processors. Collective there.
int count_before_on_cpus(const Communicator& machine) {
  const cpu_set_t own = allowed_cpu_set();
  std::vector<cpu_set_t> all(static_cast<std::size_t>(machine.size()));
  check(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, machine.get()),
        "MPI_Allgather");
  const auto is_same = [&own](const cpu_set_t& other) { return CPU_EQUAL(&own, &other) != 0; };
  return static_cast<int>(std::count_if(all.begin(), all.begin() + machine.rank(), is_same));
}

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(const MpiOptions& options)
      : group_(options),
        clock_offset_s_(measure_clock_offset_s(group_)),
        number_on_cpus_(count_before_on_cpus(group_.machine())) {}

  std::string_view name() const override { return "mpi"; }
  int rank() const override { return group_.rank(); }
  int ranks() const override { return group_.ranks(); }
  int master_rank() const override { return group_.master_rank(); }
  std::size_t workers() const override { return group_.worker_ranks().size(); }
  std::map<std::string, std::string> versions() const override { return {{"mpi", library_version()}}; }
  int local_ranks() const override { return group_.machine().size(); }
  int number_on_cpus() const override { return number_on_cpus_; }
  double clock_offset_s() const override { return clock_offset_s_; }

  std::span<std::byte> resident(std::size_t bytes) override {
    return group_.is_on_masters_host(rank()) ? replicated(bytes) : std::span<std::byte>{};
  }
  std::span<std::byte> replicated(std::size_t bytes) override { return shared(bytes, Pages::at_once); }
  std::unique_ptr<Session> open(const RunPlan& plan, DataLayout& layout) override {
    // Kept until the farm ends: freeing is collective, and a run may end while a rank is still late.
    const HostMemory memory{
        shared(MpiSession::control_bytes(group_, plan, layout), Pages::at_once),
        aside(MpiSession::aside_bytes(group_, plan, layout)),
    };
    return std::make_unique<MpiSession>(group_, plan, layout, memory);
  }

  std::string from_master(std::string text) override {
    auto length = static_cast<int>(text.size());
    broadcast(&length, 1, MPI_INT);
    text.resize(static_cast<std::size_t>(length));
    broadcast(text.data(), length, MPI_CHAR);
    return text;
  }
  std::vector<std::string> to_master(std::string text, double patience_s) override;

 private:
  std::span<std::byte> shared(std::size_t bytes, Pages pages) {
    return windows_.emplace_back(group_.host(), bytes, pages).bytes();
  }
  // Used again: no rank is in the next run before it has done with the last.
  std::span<std::byte> aside(std::size_t bytes) {
    if (aside_.size() < bytes) aside_ = shared(bytes, Pages::when_used);
    return aside_.first(bytes);
  }
  void broadcast(void* data, int count, MPI_Datatype type) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(data, count, type, master_rank(), group_.all().get(), &request), "MPI_Ibcast");
    wait_quietly(request);
  }

  void send_report(std::string text);
  bool take_report(std::vector<std::string>& texts);

  Group group_;
  double clock_offset_s_;
  int number_on_cpus_;
  std::deque<SharedWindow> windows_;
  std::span<std::byte> aside_;
  std::deque<std::string> sent_;  // reports that may still be under way
  int reports_ = 0;               // rounds of them
};

std::vector<std::string> MpiTransport::to_master(std::string text, double patience_s) {
  ++reports_;
  if (!is_master()) {
    send_report(std::move(text));
    return {};
  }
  std::vector<std::string> texts(static_cast<std::size_t>(ranks()));
  texts[static_cast<std::size_t>(rank())] = std::move(text);
  const double end_s = monotonic_s() + patience_s;
  PollNap nap;
  for (int missing = ranks() - 1; missing > 0;) {
    if (take_report(texts))
      --missing;
    else if (monotonic_s() > end_s)
      break;
    else
      nap.rest();
  }
  return texts;
}

// The master may have lost patience and never take it: so nothing waits for this send, and its memory stays.
void MpiTransport::send_report(std::string text) {
  const std::string& message = sent_.emplace_back(std::to_string(reports_) + ' ' + std::move(text));
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_CHAR, master_rank(),
                  number(Tag::account), group_.all().get(), &request),
        "MPI_Isend");
  check(MPI_Request_free(&request), "MPI_Request_free");
}

// Whether a report of this round was there; one of an earlier round, come too late, is dropped.
bool MpiTransport::take_report(std::vector<std::string>& texts) {
  int is_there = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, number(Tag::account), group_.all().get(), &is_there, &status),
        "MPI_Iprobe");
  if (is_there == 0) return false;
  int length = 0;
  check(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
  std::string message(static_cast<std::size_t>(length), '\0');
  check(MPI_Recv(message.data(), length, MPI_CHAR, status.MPI_SOURCE, number(Tag::account),
                 group_.all().get(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  const std::size_t space = message.find(' ');
  if (message.substr(0, space) != std::to_string(reports_)) return false;
  texts[static_cast<std::size_t>(status.MPI_SOURCE)] = message.substr(space + 1);
  return true;
}

bool is_running() {
  int is_started = 0, is_over = 0;
  MPI_Initialized(&is_started);
  MPI_Finalized(&is_over);
  return is_started != 0 && is_over == 0;
}

}  // namespace
}  // namespace mpi

std::unique_ptr<Transport> make_mpi_transport(const MpiOptions& options) {
  return std::make_unique<mpi::MpiTransport>(options);
}

bool is_mpi_running() {
  return mpi::is_running();
}

void leave_mpi_orderly() {
  if (mpi::is_running()) MPI_Finalize();
}

void abort_mpi(int exit_code) {
  if (mpi::is_running()) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace loadshare
