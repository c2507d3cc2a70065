#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/transport/placement.hpp"
#include "runtime/transport/shared_input.hpp"
#include "runtime/transport/tcp/activity.hpp"
#include "runtime/transport/tcp/members.hpp"
#include "runtime/transport/tcp/shared_sender.hpp"
#include "runtime/transport/tcp/silence.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare::tcp {

/// The members' workers in one run, as the master deals with them. Results land aside, in memory of their
/// own, and are brought to their place when they are published.
class RemoteWorkers final : public Undertaking {
 public:
  /// `run`: its number, from 1. Workers are numbered from `first_worker` on, as they come.
  /// `activity`: of all workers, the master's own among them. `lease_s`: RunPlan::lease_s.
  RemoteWorkers(Loop& loop, std::uint32_t run, std::uint32_t first_worker, DataLayout& layout,
                SharedInput& shared, Activity& activity, double lease_s);

  // As those of MasterEnd.
  std::size_t poll(std::span<Event> events);
  void give(WorkerId worker, const Assignment& assignment);
  void recall(WorkerId worker, ChunkId id, Recall recall);
  void publish(WorkerId worker, ChunkId id, Chunk part);
  void release(WorkerId worker, ChunkId id);
  void stop(const std::list<Member>& members);
  std::optional<double> shared_input_done_s() const { return shared_.done_s(); }

  /// Finds out who has fallen silent; several times a second.
  void look();
  bool has_events() const { return !events_.empty(); }
  /// Whether somebody waits for a piece of the shared input that another thread prepares.
  bool awaits_piece() const { return shared_.awaits_piece(); }
  /// How many workers have joined so far.
  std::size_t count() const { return workers_.size(); }

  /// Who has taken part, in the order in which they came; a member's workers have successive numbers.
  struct Participant {
    std::uint32_t rank;  ///< Member::rank
    std::string host;
    std::string address;  ///< of the host
    std::string peer;     ///< of the process: with its port
    std::uint32_t first_worker, workers;
    double offset_s = 0;
    bool is_there = true;
    bool is_idle = true;  ///< holds nothing
  };
  std::vector<Participant> participants() const;

  void ready(Member& member, const HeldAt& shared_input) override;
  void heard(Member& member) override;
  void take(Member& member, const Frame& frame) override;
  bool send_more(Member& member) override;
  void lost(Member& member) override;
  bool leaves(Member& member, double deadline_s) override;
  std::vector<Listing> workers_now() const override;

 private:
  struct Given {
    Assignment assignment;
    std::size_t result_bytes = 0, received_bytes = 0;
    ChunkMemory result;
    bool is_unwanted = false;
    bool is_back = false;
  };
  /// Iterations of a chunk that have ended.
  struct Progress {
    ChunkId id;
    Index done = 0;
    friend constexpr bool operator==(const Progress&, const Progress&) = default;
  };
  struct Worker {
    std::uint32_t process;  ///< in processes_
    std::uint32_t local;    ///< its number there
    std::deque<Given> given;
    std::vector<ChunkMemory> spare;
    std::optional<Progress> progress = {};  ///< as it reported last
    std::optional<Progress> noted = {};     ///< of this there was an event

    std::deque<Given>::iterator place_of(ChunkId id);
  };
  /// Bytes that are to leave as frames of parts.
  struct Transfer {
    TaskName task;
    ByteView bytes;
    std::size_t gone = 0;
  };
  struct Process {
    Member* member;  ///< null: it is gone
    Participant who;
    std::deque<Transfer> inputs;
    bool has_left = false;        ///< of its own will, or because it was asked to
    std::uint32_t dismissed = 0;  ///< of its workers
    bool is_aside = false;
  };

  std::size_t place_of(WorkerId worker) const {
    return workers_.at(to_number(worker) - first_worker_).process;
  }
  std::size_t place_of(const Process& process) const { return process_by_rank_.at(process.who.rank); }
  std::optional<Progress> progress_of(const Worker& worker) const;
  std::optional<Progress> surely_begun(const Worker& worker) const;
  void note_progress(WorkerId worker);
  void dismiss(Process& process);
  std::uint32_t host_of(const Participant& who) const;
  Worker& find(WorkerId worker) { return workers_.at(to_number(worker) - first_worker_); }
  Process* process_of(const Member& member);
  Process* taking_part(const Member& member);
  Worker* find(Process& process, const TaskName& task);
  static Given* find(Worker& worker, ChunkId id);
  WorkerId number(const Process& process, std::uint32_t local) const {
    return WorkerId{process.who.first_worker + local};
  }
  void come_back(Process& process, Member& member, const HeldAt& shared_input);
  void joins(const Process& process);
  void tell_of(const Process& process, Event::Kind kind, double deadline_s = 0);
  void let_go(Process& process);
  void hand_back_all(Process& process);
  void forget_given(Worker& worker);
  Listing listing(WorkerId worker, const std::string& host) const;
  Listing::State state_of(std::size_t process) const;
  static void take_progress(Worker& worker, const ProgressMessage& said);
  void take_part(Process& process, const ResultPart& part, ByteView payload);
  void take_answer(Process& process, const SharedAnswer& answer);
  void take_report(Process& process, const ReportMessage& report, ByteView payload);
  bool is_idle(const Process& process) const;
  double expected_s(std::size_t which) const;
  bool send_input(Process& process);
  bool has_leases() const { return lease_s_ > 0; }
  double lease_end_s(std::size_t process) const;
  void end_leases(double now_s);

  Loop& loop_;
  std::uint32_t run_, first_worker_;
  double lease_s_;
  DataLayout& layout_;
  SharedSender shared_;  ///< its processes have the same numbers
  std::deque<Worker> workers_;
  std::deque<Process> processes_;
  std::map<std::uint32_t, std::size_t> process_by_rank_;
  SilenceWatch silence_;
  Activity& activity_;
  double looks_at_s_ = 0;
  std::deque<Event> events_;
  bool is_over_ = false;
};

}  // namespace loadshare::tcp
