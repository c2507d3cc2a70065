#include "runtime/transport/mpi/mpi_transport.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/io/process.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/host/shared_room.hpp"
#include "runtime/transport/channels.hpp"
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/message_hub.hpp"
#include "runtime/transport/mpi/message_worker.hpp"
#include "runtime/transport/mpi/poll_nap.hpp"
#include "runtime/transport/mpi/ranks.hpp"

namespace loadshare {

namespace mpi {

namespace {

/// The master's end under MPI: channels to the workers that see its memory, messages to the others.
class MpiMaster final : public MasterEnd {
 public:
  /// `workers`: in all. `to_prepare`: what no other rank prepares; null: they do.
  MpiMaster(Correspondence& letters, ChannelMaster channels, const std::vector<WorkerId>& by_channel,
            std::size_t workers, const RunPlan& plan, PollNap nap, SharedInput* to_prepare);

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

  AllAtOnce joining_;
  SharedSender& sender_;
  MessageHub& messages_;
  ChannelMaster channels_;
  const std::vector<WorkerId> by_channel_;
  std::vector<std::size_t> channel_of_;  // by worker
  double patience_s_;                    // how long the run's end waits for those that messages reach
  PollNap nap_;
  SharedInput* to_prepare_;
  bool is_preparing_ = false;
  bool begins_with_messages_ = false;  // the next round of polling
};

/// Whether the loop's data lies where all ranks of this host see it.
bool is_all_shared(const Ranks& ranks, DataLayout& layout, Index iterations) {
  const Chunk all{0, iterations};
  return (layout.input_bytes(all) == 0 || ranks.owns(layout.input(all))) &&
         (layout.output_bytes(all) == 0 || ranks.owns(layout.output(all)));
}

/// Who reaches whom in a run.
class Reach {
 public:
  /// Collective over the host. Throws Error(run_failed) where the master's data is shared and this rank's is
  /// not.
  Reach(const Ranks& ranks, DataLayout& layout, Index iterations) : group_(ranks.group()) {
    if (!group_.is_on_masters_host(group_.rank())) return;
    int is_shared = group_.is_master() && is_all_shared(ranks, layout, iterations) ? 1 : 0;
    check(MPI_Bcast(&is_shared, 1, MPI_INT, 0, group_.host().get()), "MPI_Bcast");
    is_shared_ = is_shared != 0;
    if (is_shared_ && !is_all_shared(ranks, layout, iterations))
      throw Error(ExitCode::run_failed,
                  "the loop's input or output on rank " + std::to_string(group_.rank()) +
                      " is not in memory from Farm::resident",
                  "on the master it is", "take it from there on every rank, whatever is in it");
  }

  bool sees_masters_memory(int rank) const {
    return rank == group_.master_rank() || (group_.is_on_masters_host(rank) && is_shared_);
  }
  /// Those that see the master's memory, or the others.
  std::vector<WorkerId> workers(bool see_masters_memory) const {
    std::vector<WorkerId> chosen;
    for (std::uint32_t i = 0; i < group_.worker_ranks().size(); ++i)
      if (sees_masters_memory(group_.worker_ranks()[i]) == see_masters_memory) chosen.push_back(WorkerId{i});
    return chosen;
  }

 private:
  const Group& group_;
  bool is_shared_ = false;
};

/// One run under MPI on one rank.
class MpiSession final : public Session {
 public:
  /// Collective; returns when all ranks are ready.
  MpiSession(Ranks& ranks, const RunPlan& plan, DataLayout& layout);
  ~MpiSession() override;

  MasterEnd* master() override { return master_.get(); }
  std::span<const std::unique_ptr<WorkerEnd>> workers() override { return workers_; }
  bool needs_pump() const override { return message_worker_ != nullptr; }
  void pump() override { message_worker_->pump(); }
  WaitPolicy wait_policy() const override { return policy_; }

 private:
  void make_worker(const RunPlan& plan, DataLayout& layout);

  const Group& group_;
  Reach reach_;
  std::vector<WorkerId> by_channel_;
  std::span<std::byte> aside_;  // for results; elsewhere than on the master's host, none
  ControlShape shape_;
  ControlBlock control_;
  SharedInput shared_;
  double capacity_;  // what each of this host's ranks may have of a processor
  WaitPolicy policy_;
  std::unique_ptr<MessageWorker> message_worker_;
  std::vector<std::unique_ptr<WorkerEnd>> workers_;
  std::unique_ptr<MpiMaster> master_;
};

std::optional<WorkerId> worker_here(const Group& group) {
  const auto place = std::ranges::find(group.worker_ranks(), group.rank());
  if (place == group.worker_ranks().end()) return std::nullopt;
  return WorkerId{static_cast<std::uint32_t>(place - group.worker_ranks().begin())};
}

ControlShape control_shape(const Group& group, const RunPlan& plan, DataLayout& layout,
                           std::size_t channels) {
  ControlShape shape{.prefetch = plan.prefetch, .pieces = SharedInput::count_pieces(layout)};
  if (group.is_on_masters_host(group.rank())) shape.channels = channels;
  return shape;
}

/// Returns each rank's words, in the order of ranks, padded with zeros to one length. Collective.
std::vector<std::vector<std::uint64_t>> gather_words(const Communicator& ranks,
                                                     std::vector<std::uint64_t> own) {
  std::vector<int> lengths(static_cast<std::size_t>(ranks.size()));
  const int length = static_cast<int>(own.size());
  check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, ranks.get()), "MPI_Allgather");
  own.resize(static_cast<std::size_t>(*std::ranges::max_element(lengths)));
  std::vector<std::uint64_t> words(own.size() * lengths.size());
  const int bytes = static_cast<int>(own.size() * sizeof(std::uint64_t));
  check(MPI_Allgather(own.data(), bytes, MPI_BYTE, words.data(), bytes, MPI_BYTE, ranks.get()),
        "MPI_Allgather");
  std::vector<std::vector<std::uint64_t>> by_rank;
  for (auto first = words.begin(); first != words.end(); first += std::ssize(own))
    by_rank.emplace_back(first, first + std::ssize(own));
  return by_rank;
}

/// How many threads of this run a rank adds to its host, and where they may run.
struct Footprint {
  int threads;
  ProcessorSet cpus;
};

/// Returns the footprints of all ranks of this machine. Collective there.
std::vector<Footprint> footprints(const Communicator& machine, const Footprint& own) {
  std::vector<std::uint64_t> words{static_cast<std::uint64_t>(own.threads)};
  words.insert(words.end(), own.cpus.words().begin(), own.cpus.words().end());
  std::vector<Footprint> all;
  for (const std::vector<std::uint64_t>& one : gather_words(machine, std::move(words)))
    all.push_back({static_cast<int>(one.front()), ProcessorSet::from_words(std::span(one).subspan(1))});
  return all;
}

Footprint footprint_here(const Group& group, const Reach& reach) {
  Footprint own{1, allowed_processors()};
  // A working master computes beside its dispatching; so does a worker that gets messages, beside carrying
  // them, unless the two take turns.
  const bool carries_beside = !reach.sees_masters_memory(group.rank()) && !group.lets_threads_take_turns();
  const bool has_two = worker_here(group) && (group.is_master() || carries_beside);
  if (has_two) own.threads = 2;
  return own;
}

/// `auto` resolved: may this rank spin, with all that may run where it runs?
WaitPolicy policy_here(const Group& group, const RunPlan& plan, const Reach& reach) {
  const Footprint own = footprint_here(group, reach);
  ProcessorSet cores = own.cpus;
  int threads = 0;
  for (const Footprint& other : footprints(group.machine(), own)) {
    if (!own.cpus.intersects(other.cpus)) continue;
    cores.add(other.cpus);
    threads += other.threads;
  }
  return resolve(plan.wait, threads, sustained_cores(cores.count()));
}

MpiMaster::MpiMaster(Correspondence& letters, ChannelMaster channels, const std::vector<WorkerId>& by_channel,
                     std::size_t workers, const RunPlan& plan, PollNap nap, SharedInput* to_prepare)
    : joining_(workers),
      sender_(letters.sender),
      messages_(letters.messages),
      channels_(std::move(channels)),
      by_channel_(by_channel),
      channel_of_(workers, no_channel),
      patience_s_(plan.patience_s),
      nap_(nap),
      to_prepare_(to_prepare) {
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
  if (joining_.has_next()) return joining_.poll(events);
  is_preparing_ = to_prepare_ != nullptr && to_prepare_->prepare_next();
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
  if (is_preparing_) return;
  if (!messages_.has_peers() && sender_.is_done()) return channels_.hub().wait(limit_s);
  for (int look = nap_.looks_at_a_time(); look > 1; --look)
    if (messages_.has_come() || channels_.hub().has_report()) return;
  if (!nap_.looks_again()) channels_.hub().nap(std::min(nap_.next(nap_.patience_s()), limit_s));
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
  messages_.stop(patience_s_);
}

/// Bytes that this rank's host needs for results that land aside.
std::size_t aside_bytes(const Group& group, const RunPlan& plan, const DataLayout& layout,
                        std::size_t channels) {
  return group.is_on_masters_host(group.rank()) ? AsideMemory::bytes_for(plan, channels, layout) : 0;
}

MpiSession::MpiSession(Ranks& ranks, const RunPlan& plan, DataLayout& layout)
    : group_(ranks.group()),
      reach_(ranks, layout, plan.iterations),
      by_channel_(reach_.workers(true)),
      aside_(ranks.aside(aside_bytes(group_, plan, layout, by_channel_.size()))),
      shape_(control_shape(group_, plan, layout, by_channel_.size())),
      control_(shape_, ranks.control(ControlBlock::bytes(shape_)).data()),
      shared_(layout, control_, plan.landing == Landing::in_place || group_.is_master()),
      capacity_(capacity_of_one(group_.machine().size())),
      policy_(policy_here(group_, plan, reach_)) {
  // For profilers: what counts begins before the first receive is posted for it, and ends with the run.
  check(MPI_Pcontrol(1), "MPI_Pcontrol");
  make_worker(plan, layout);
  if (group_.is_master()) {
    shared_.mark_all_raw();
    Correspondence& letters = ranks.correspond(layout, shared_, reach_.workers(false));
    master_ = std::make_unique<MpiMaster>(letters, ChannelMaster(control_, Waiter(policy_), layout, aside_),
                                          by_channel_, group_.worker_ranks().size(), plan,
                                          PollNap(capacity_, policy_),
                                          plan.landing == Landing::aside ? &shared_ : nullptr);
  }
  check(MPI_Barrier(group_.all().get()), "MPI_Barrier");
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() == 0) MPI_Pcontrol(0);
}

void MpiSession::make_worker(const RunPlan& plan, DataLayout& layout) {
  const std::optional<WorkerId> worker = worker_here(group_);
  if (!worker) return;
  if (reach_.sees_masters_memory(group_.rank())) {
    const auto channel =
        static_cast<std::size_t>(std::ranges::find(by_channel_, *worker) - by_channel_.begin());
    workers_.push_back(std::make_unique<ChannelWorker>(*worker, channel, control_, shared_, policy_,
                                                       std::make_unique<InSharedMemory>(layout, aside_)));
    return;
  }
  message_worker_ = std::make_unique<MessageWorker>(group_, layout, control_, shared_, plan.prefetch, *worker,
                                                    policy_, capacity_);
  workers_.push_back(message_worker_->take_end());
}

/// How many ranks before this one, of the same machine, may use the very same processors. Collective there.
int count_before_on_cpus(const Communicator& machine) {
  const ProcessorSet own = allowed_processors();
  const auto all = gather_words(machine, {own.words().begin(), own.words().end()});
  return static_cast<int>(std::count_if(all.begin(), all.begin() + machine.rank(), [&own](const auto& words) {
    return ProcessorSet::from_words(words) == own;
  }));
}

/// What is left of a farm whose ranks have not all answered: their memory must stay, and MPI may be over when
/// this thread is.
thread_local const Ranks* unfinished = nullptr;

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(const MpiOptions& options)
      : ranks_(std::make_unique<Ranks>(options)),
        clock_offset_s_(measure_clock_offset_s(group())),
        number_on_cpus_(count_before_on_cpus(group().machine())) {}
  ~MpiTransport() override {
    if (is_master() && !is_answered()) unfinished = ranks_.release();
  }

  std::string_view name() const override { return "mpi"; }
  bool has_ranks() const override { return true; }
  bool has_other_hosts() const override { return !group().other_leaders().empty(); }
  int rank() const override { return group().rank(); }
  int ranks() const override { return group().ranks(); }
  int master_rank() const override { return group().master_rank(); }
  std::size_t workers() const override { return group().worker_ranks().size(); }
  std::map<std::string, std::string> versions() const override { return {{"mpi", mpi_library()}}; }
  int local_ranks() const override { return group().machine().size(); }
  int number_on_cpus() const override { return number_on_cpus_; }
  double clock_offset_s() const override { return clock_offset_s_; }

  std::span<std::byte> resident(std::size_t bytes) override {
    return group().is_on_masters_host(rank()) ? replicated(bytes) : std::span<std::byte>{};
  }
  std::span<std::byte> replicated(std::size_t bytes) override {
    return ranks_->memory(bytes, Pages::at_once);
  }
  std::unique_ptr<Session> open(const RunPlan& plan, DataLayout& layout) override {
    ranks_->finish_last_run();
    room_for_windows().give_back(too_many_bytes);  // the data have what they need
    return std::make_unique<MpiSession>(*ranks_, plan, layout);
  }
  std::string from_master(std::string text) override { return ranks_->from_master(std::move(text)); }
  std::vector<std::string> to_master(std::string text, double patience_s) override {
    return ranks_->to_master(std::move(text), patience_s);
  }

 private:
  static constexpr double farewell_s = 10;

  bool is_answered() noexcept {
    try {
      return ranks_->await_stragglers(farewell_s);
    } catch (...) {  // MPI itself fails, or memory is exhausted: waiting is impossible
      return true;
    }
  }

  const Group& group() const { return ranks_->group(); }

  std::unique_ptr<Ranks> ranks_;
  double clock_offset_s_;
  int number_on_cpus_;
};

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

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  mpi::check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));
}

bool is_mpi_running() {
  return mpi::is_running();
}

void leave_mpi_orderly(int exit_code) {
  if (!mpi::is_running()) return;
  if (mpi::unfinished) {
    std::fprintf(stderr, "note: %s been left behind\n", mpi::unfinished->stragglers().c_str());
    abort_mpi(exit_code);
  }
  MPI_Finalize();
}

void abort_mpi(int exit_code) {
  if (mpi::is_running()) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace loadshare
