#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/process.hpp"
#include "base/io/text.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/master_router.hpp"
#include "runtime/transport/tcp/lease.hpp"
#include "runtime/transport/tcp/members.hpp"
#include "runtime/transport/tcp/remote_workers.hpp"
#include "runtime/transport/tcp/tcp_transport.hpp"

namespace loadshare {
namespace tcp {
namespace {

/// The loop beside which others may want the processor: nobody knows who else runs on the hosts of a network.
WaitPolicy guests_policy(WaitPolicy asked) {
  return asked == WaitPolicy::automatic ? WaitPolicy::nap : asked;
}

/// The members' workers beside those of the master's own process, whose activity is listed as well.
class TcpRemote final : public Remote {
 public:
  TcpRemote(Loop& loop, const Members& members, RemoteWorkers& workers, Activity& activity,
            ControlBlock& control, WaitPolicy policy)
      : loop_(loop),
        members_(members),
        workers_(workers),
        activity_(activity),
        control_(control),
        policy_(policy) {}

  std::size_t poll(std::span<Event> events, std::size_t taken) override;
  void wait(ChannelHub& local, double limit_s) override;
  void give(WorkerId worker, const Assignment& assignment) override { workers_.give(worker, assignment); }
  void recall(WorkerId worker, ChunkId id, Recall recall) override { workers_.recall(worker, id, recall); }
  void publish(WorkerId worker, ChunkId id, Chunk part) override { workers_.publish(worker, id, part); }
  void release(WorkerId worker, ChunkId id) override { workers_.release(worker, id); }
  void stop() override { workers_.stop(members_.list()); }
  std::optional<double> shared_input_done_s() const override { return workers_.shared_input_done_s(); }

 private:
  void note(std::span<const Event> events);

  Loop& loop_;
  const Members& members_;
  RemoteWorkers& workers_;
  Activity& activity_;
  ControlBlock& control_;
  WaitPolicy policy_;
};

std::size_t TcpRemote::poll(std::span<Event> events, std::size_t taken) {
  const std::size_t count = workers_.poll(events.subspan(taken));
  workers_.look();
  note(events.first(taken + count));
  return count;
}

void TcpRemote::note(std::span<const Event> events) {
  if (events.empty()) return;
  const double now_s = monotonic_s();
  for (const Event& event : events) {
    if (event.kind == Event::Kind::reported) activity_.reported(event.worker, event.report, now_s);
    if (event.kind == Event::Kind::lost || event.kind == Event::Kind::cut_off)
      activity_.gone(event.worker);  // what it was given since, too
  }
}

void TcpRemote::wait(ChannelHub& local, double limit_s) {
  constexpr double piece_look_s = 1e-3;
  const auto is_ready = [&] { return local.has_report() || workers_.has_events(); };
  if (workers_.awaits_piece()) limit_s = std::min(limit_s, piece_look_s);
  if (policy_ == WaitPolicy::nap) return loop_.wait(control_.master_bell(), is_ready, limit_s);
  for (const double end_s = monotonic_s() + limit_s; !is_ready() && monotonic_s() < end_s;) {
    loop_.poll();
    if (policy_ == WaitPolicy::yield) sched_yield();
  }
}

/// The master's end, which notes what each worker gets.
class TcpMaster final : public MasterRouter {
 public:
  TcpMaster(const Loop& loop, Activity& activity, std::size_t local_workers, ChannelMaster channels,
            Remote& remote)
      : MasterRouter(PresentWorkers(local_workers, Newcomer{.name = {.host = host_name()},
                                                            .process_name = "the master's own process",
                                                            .host = 0,
                                                            .process = WorkerId{0}}),
                     std::move(channels), first_workers(local_workers), &remote),
        loop_(loop),
        activity_(activity) {}

  void give(WorkerId worker, const Assignment& assignment) override {
    activity_.given(worker, assignment, loop_.turned_s());
    MasterRouter::give(worker, assignment);
  }

 private:
  const Loop& loop_;
  Activity& activity_;
};

/// What is known of the run that goes on, or of the last.
struct LatestRun {
  const RemoteWorkers* remote = nullptr;  // while its session lives
  std::size_t remote_workers = 0;
};

/// One run, at the master.
class MasterSession final : public Session {
 public:
  MasterSession(Loop& loop, Members& members, LatestRun& run, std::size_t local_workers, const RunPlan& plan,
                DataLayout& layout)
      : shape_{.channels = local_workers,
               .prefetch = plan.prefetch,
               .pieces = SharedInput::count_pieces(layout)},
        memory_(ControlBlock::bytes(shape_)),
        aside_(AsideMemory::bytes_for(plan, local_workers, layout), Pages::when_used),
        control_(shape_, memory_.bytes().data()),
        shared_(layout, control_),
        policy_(guests_policy(plan.wait)),
        members_(members),
        run_(run),
        remote_(loop, members.runs() + 1, static_cast<std::uint32_t>(local_workers), layout, shared_,
                activity_, plan.lease_s),
        members_workers_(loop, members, remote_, activity_, control_, policy_),
        master_(loop, activity_, local_workers,
                ChannelMaster(control_, Waiter(policy_), layout, aside_.bytes()), members_workers_) {
    shared_.mark_all_raw();
    for (std::size_t i = 0; i < local_workers; ++i)
      workers_.push_back(
          std::make_unique<ChannelWorker>(WorkerId{static_cast<std::uint32_t>(i)}, i, control_, shared_,
                                          policy_, std::make_unique<InSharedMemory>(layout, aside_.bytes())));
    run_.remote = &remote_;
    members_.undertake(remote_);
  }
  ~MasterSession() override {
    members_.end_run();
    run_.remote_workers = remote_.count();
    run_.remote = nullptr;
  }

  MasterEnd* master() override { return &master_; }
  std::span<const std::unique_ptr<WorkerEnd>> workers() override { return workers_; }
  WaitPolicy wait_policy() const override { return policy_; }

 private:
  ControlShape shape_;
  PrivateMemory memory_, aside_;
  ControlBlock control_;
  SharedInput shared_;
  WaitPolicy policy_;
  Members& members_;
  LatestRun& run_;
  Activity activity_;
  RemoteWorkers remote_;
  TcpRemote members_workers_;
  TcpMaster master_;
  std::vector<std::unique_ptr<WorkerEnd>> workers_;
};

constexpr double look_again_s = 0.1;  // while only time has to pass

bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load();
}

void throw_if_interrupted(const std::atomic<bool>* interrupted) {
  if (is_set(interrupted)) throw Error(ExitCode::interrupted, "interrupted", "before the loop began");
}

class MasterTransport final : public Transport {
 public:
  MasterTransport(const NetworkOptions& network, std::size_t local_workers)
      : network_(network),
        local_workers_(local_workers),
        members_(loop_, network_, static_cast<std::uint32_t>(local_workers)),
        made_s_(monotonic_s()) {
    network_.note("listening at " + members_.address());
  }
  ~MasterTransport() override { dismiss_members(); }

  std::string_view name() const override { return "tcp"; }
  bool has_ranks() const override { return true; }
  bool has_other_hosts() const override { return true; }
  bool comes_and_goes() const override { return true; }
  int rank() const override { return 0; }
  int ranks() const override { return 1 + static_cast<int>(members_.list().size()); }
  int master_rank() const override { return 0; }
  std::size_t workers() const override {
    if (members_.runs() == 0) return local_workers_ + members_.workers();
    return local_workers_ + (run_.remote != nullptr ? run_.remote->count() : run_.remote_workers);
  }
  std::size_t workers_expected() const override;
  void gather(const std::atomic<bool>* interrupted, const std::atomic<bool>* draining,
              Copies copies) override;

  std::span<std::byte> resident(std::size_t bytes) override { return memory_.emplace_back(bytes).bytes(); }
  std::span<std::byte> replicated(std::size_t bytes) override { return resident(bytes); }
  std::unique_ptr<Session> open(const RunPlan& plan, DataLayout& layout) override {
    auto session = std::make_unique<MasterSession>(loop_, members_, run_, local_workers_, plan, layout);
    if (network_.expect > 0) await_ready();
    return session;
  }

  std::string from_master(std::string text) override {
    members_.say(text);
    return text;
  }
  std::vector<std::string> to_master(std::string text, double patience_s) override;
  Whereabouts whereabouts(std::size_t answer) const override { return asked_.at(answer); }
  std::vector<std::string> notes() const override {
    return members_.started() != nullptr ? members_.started()->failures() : std::vector<std::string>{};
  }

 private:
  void dismiss_members() noexcept;
  bool has_gathered() const;
  void outlive_leases(const std::atomic<bool>* interrupted, const std::atomic<bool>* draining);
  void await_ready();

  Loop loop_;
  const NetworkOptions network_;
  std::size_t local_workers_;
  Members members_;
  double made_s_;
  std::deque<PrivateMemory> memory_;
  LatestRun run_;
  std::vector<Whereabouts> asked_;
};

// The run has its result by now. A worker that is not notified of the end finds its connection ended.
void MasterTransport::dismiss_members() noexcept {
  try {
    try {
      members_.dismiss();
    } catch (...) {
      network_.note("the workers could not be notified that the run has ended: " + current_what());
    }
  } catch (...) {  // no memory is left for the note either
  }
}

// Where nobody says how many will come, chunks are cut as though some did: the first is not to get the whole
// loop.
std::size_t MasterTransport::workers_expected() const {
  constexpr std::size_t some = 4;
  const std::size_t here = local_workers_ + members_.workers();
  const bool is_told = network_.expect > 0 || network_.start_after_s > 0 || !network_.start_on.empty();
  return std::max({here, static_cast<std::size_t>(network_.expect), is_told ? std::size_t{1} : some});
}

bool MasterTransport::has_gathered() const {
  const bool is_late = network_.start_after_s > 0 && monotonic_s() >= made_s_ + network_.start_after_s;
  if (is_late) return true;
  if (network_.expect == 0 && network_.start_after_s == 0)
    return members_.started() == nullptr || !members_.started()->awaits_some();
  return network_.expect > 0 &&
         local_workers_ + members_.workers() >= static_cast<std::size_t>(network_.expect);
}

/// Waits until the leases of an earlier master's workers have run out. A master that resumes a journal does
/// not know which of them still compute chunks.
void MasterTransport::outlive_leases(const std::atomic<bool>* interrupted,
                                     const std::atomic<bool>* draining) {
  const double end_s = made_s_ + given_again_after_s(network_.lease_s);
  if (monotonic_s() >= end_s) return;
  network_.note("the loop begins in " + duration_text(end_s - monotonic_s()) +
                ", when the leases of an earlier master's workers have run out");
  for (; monotonic_s() < end_s && !is_set(draining); loop_.wait(look_again_s))
    throw_if_interrupted(interrupted);
}

void MasterTransport::gather(const std::atomic<bool>* interrupted, const std::atomic<bool>* draining,
                             Copies copies) {
  if (network_.resumes && copies == Copies::never) outlive_leases(interrupted, draining);
  const double end_s = monotonic_s() + network_.patience_s;
  loop_.poll();
  for (; !has_gathered(); loop_.wait(look_again_s)) {
    if (is_set(draining)) return;
    throw_if_interrupted(interrupted);
    if (network_.expect > 0 && network_.start_after_s == 0 && monotonic_s() > end_s)
      throw Error(ExitCode::workers_lost,
                  "only " + std::to_string(local_workers_ + members_.workers()) + " of " +
                      std::to_string(network_.expect) + " workers have joined",
                  "the loop waits for --expect workers, but no longer than --patience");
  }
  const bool is_told = network_.expect > 0 || network_.start_after_s > 0;
  if (members_.started() != nullptr && !is_told && local_workers_ + members_.workers() == 0)
    members_.started()->require_some();
}

/// Whoever is expected to be there when the loop begins has to have made its workload, too.
void MasterTransport::await_ready() {
  constexpr double most_s = 10, look_soon_s = 0.05;
  const auto is_late = [this](const Member& member) { return member.ready_for < members_.runs(); };
  for (const double end_s = monotonic_s() + most_s;
       std::ranges::any_of(members_.list(), is_late) && monotonic_s() < end_s;)
    loop_.wait(look_soon_s);
}

/// Those of the latest run are asked. Who still computes what nobody waits for is waited for as long as the
/// caller has patience; who has nothing to do answers at once, or is about to be heard to be gone.
std::vector<std::string> MasterTransport::to_master(std::string text, double patience_s) {
  constexpr double answer_s = 1;
  std::vector<std::string> texts{std::move(text)};
  asked_.assign(1, {});
  if (run_.remote == nullptr) return texts;
  std::map<std::uint32_t, double> may_take_s;
  std::map<std::uint32_t, std::size_t> places;
  for (const RemoteWorkers::Participant& who : run_.remote->participants()) {
    if (who.is_there) may_take_s[who.rank] = who.is_idle ? std::max(patience_s, answer_s) : patience_s;
    places[who.rank] = asked_.size();
    asked_.push_back({static_cast<int>(who.rank), who.host, who.address, who.workers, who.offset_s});
  }
  texts.resize(asked_.size());
  members_.ask([&](const Member& member) { return may_take_s.contains(member.rank); },
               [&](const Member& member) { return may_take_s.at(member.rank); },
               [&](const Member& member) { texts[places.at(member.rank)] = member.answer; });
  return texts;
}

}  // namespace
}  // namespace tcp

std::unique_ptr<Transport> make_tcp_master(const NetworkOptions& network, std::size_t local_workers) {
  return std::make_unique<tcp::MasterTransport>(network, local_workers);
}

}  // namespace loadshare
