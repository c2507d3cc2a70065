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
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/master_router.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/message_hub.hpp"
#include "runtime/transport/mpi/message_worker.hpp"
#include "runtime/transport/mpi/poll_nap.hpp"
#include "runtime/transport/mpi/ranks.hpp"

namespace loadshare {

namespace mpi {

namespace {

/// The workers that MPI's messages reach, and the shared input on its way to other hosts.
class MpiRemote final : public Remote {
 public:
  /// `to_prepare`: what no other rank prepares; null: they do.
  MpiRemote(Correspondence& letters, double patience_s, PollNap nap, SharedInput* to_prepare)
      : sender_(letters.sender),
        messages_(letters.messages),
        patience_s_(patience_s),
        nap_(nap),
        to_prepare_(to_prepare) {}

  std::size_t poll(std::span<Event> events, std::size_t taken) override;
  void wait(ChannelHub& local, double limit_s) override;
  void give(WorkerId worker, const Assignment& assignment) override { messages_.give(worker, assignment); }
  void recall(WorkerId worker, ChunkId id, Recall recall) override { messages_.recall(worker, id, recall); }
  void publish(WorkerId worker, ChunkId, Chunk part) override { messages_.publish(worker, part); }
  void release(WorkerId, ChunkId) override {}
  void stop() override { messages_.stop(patience_s_); }
  std::optional<double> shared_input_done_s() const override { return sender_.done_s(); }

 private:
  SharedSender& sender_;
  MessageHub& messages_;
  double patience_s_;  // how long the run's end waits for those that messages reach
  PollNap nap_;
  SharedInput* to_prepare_;
  bool is_preparing_ = false;
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
                  "on the master it is", "allocate it so on every rank, whatever it contains");
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

  MasterEnd* master() override { return master_ ? &*master_ : nullptr; }
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
  std::optional<MpiRemote> remote_;  // of the master
  std::optional<MasterRouter> master_;
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

std::size_t MpiRemote::poll(std::span<Event> events, std::size_t taken) {
  is_preparing_ = to_prepare_ != nullptr && to_prepare_->prepare_next();
  const bool has_sent = sender_.progress();
  const std::size_t count = messages_.has_peers() ? messages_.poll(events.subspan(taken)) : 0;
  if (taken + count > 0 || has_sent) nap_.has_moved();
  return count;
}

void MpiRemote::wait(ChannelHub& local, double limit_s) {
  if (is_preparing_) return;
  if (!messages_.has_peers() && sender_.is_done()) return local.wait(limit_s);
  for (int look = nap_.looks_at_a_time(); look > 1; --look)
    if (messages_.has_come() || local.has_report()) return;
  if (!nap_.looks_again()) local.nap(std::min(nap_.next(nap_.patience_s()), limit_s));
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
    remote_.emplace(letters, plan.patience_s, PollNap(capacity_, policy_),
                    plan.landing == Landing::aside ? &shared_ : nullptr);
    master_.emplace(PresentWorkers(group_.worker_ranks().size()),
                    ChannelMaster(control_, Waiter(policy_), layout, aside_), by_channel_, &*remote_);
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
    std::fprintf(stderr, "note: %s not answered; the program ends without waiting any longer\n",
                 mpi::unfinished->stragglers().c_str());
    abort_mpi(exit_code);
  }
  MPI_Finalize();
}

void abort_mpi(int exit_code) {
  if (mpi::is_running()) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace loadshare
