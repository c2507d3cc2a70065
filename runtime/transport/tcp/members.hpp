#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/records/worker_name.hpp"
#include "runtime/transport/network.hpp"
#include "runtime/transport/tcp/admission.hpp"
#include "runtime/transport/tcp/connection.hpp"
#include "runtime/transport/tcp/shared_copies.hpp"
#include "runtime/transport/tcp/started_hosts.hpp"

namespace loadshare::tcp {

/// A process whose workers take part, as the master knows it.
struct Member {
  std::uint32_t rank = 0;        ///< of its first worker; the others have the next ones
  std::string secret_name = {};  ///< it alone knows it
  Hello who;
  std::shared_ptr<Connection> line;
  double offset_s = 0;      ///< its clock minus the master's, as it said last
  bool is_silent = false;   ///< in the latest run, or since it was asked
  double heard_s = 0;       ///< when it said anything last
  bool is_leaving = false;  ///< it was asked to
  bool is_dismissed = false;
  bool has_said_farewell = false;  ///< it goes of its own will
  std::uint32_t ready_for = 0;     ///< the last run that it has a workload for
  HeldAt shared_input = {};        ///< of that
  std::size_t texts = 0;           ///< so many it has been sent, and of the next
  std::size_t text_bytes = 0;      ///< so many bytes
  std::uint32_t answered = 0;      ///< the last round
  std::string answer = {};         ///< in that round, or so far in the next

  /// Its workers, as people know them.
  std::string name() const { return text_of({rank, who.host, line->peer_address()}, who.workers); }
  std::string_view was() const { return who.workers == 1 ? "was" : "were"; }
  bool has_rank(std::uint32_t number) const { return number >= rank && number - rank < who.workers; }
  /// The host's address, without the port.
  std::string host_address() const { return line->peer_host(); }
  /// What the processes of one host have in common; names alone may be those of several.
  std::string host() const { return who.host + " " + host_address(); }
  /// Its process ends when it hears this.
  void dismiss();
};

/// What the members are doing together: a run. Called from within the loop, once the run has begun.
class Undertaking {
 public:
  virtual ~Undertaking() = default;
  /// The member has its workload, and its workers wait. May be called again.
  virtual void ready(Member& member, const HeldAt& shared_input) = 0;
  virtual void heard(Member& member) = 0;
  /// One of the frames of a run. May throw BadFrame.
  virtual void take(Member& member, const Frame& frame) = 0;
  /// Sends a little; false: there is nothing to send now.
  virtual bool send_more(Member& member) = 0;
  virtual void lost(Member& member) = 0;
  /// The member is to leave; it is dismissed when it holds nothing, or then. Returns false where it does not
  /// take part.
  virtual bool leaves(Member& member, double deadline_s) = 0;
  /// Its workers, and the master's own.
  virtual std::vector<Listing> workers_now() const = 0;
};

/// The members, what the master has said to all of them, and what they answer. Who comes late is told
/// everything from the beginning, and so comes to the same point: every member runs the same program and asks
/// for the same texts in the same order.
class Members {
 public:
  /// Texts are kept up to so many bytes; then nobody can join any more.
  static constexpr std::size_t most_text_bytes = std::size_t{1} << 30;
  /// The most processes at a time, in all and of one address, and the most workers of them all.
  static constexpr std::size_t most_processes = 4096, most_processes_of_address = 256, most_workers = 65536;

  /// `local_workers`: of the master's own process, which have the first ranks. Throws UsageError as
  /// Admission, make_wiring and StartedHosts do.
  Members(Loop& loop, const NetworkOptions& options, std::uint32_t local_workers);
  ~Members();

  std::string address() const { return admission_.address(); }
  /// Those that come because this master has started them; null: there are none.
  const StartedHosts* started() const { return started_ ? &*started_ : nullptr; }
  std::size_t workers() const;
  const std::list<Member>& list() const { return members_; }

  void say(const std::string& text);
  /// The next answers, of those for whom `is_asked` holds: waits for them, as long as `may_take_s(member)`
  /// says, and calls `take(member)` for each whose answer came.
  void ask(const std::function<bool(const Member&)>& is_asked,
           const std::function<double(const Member&)>& may_take_s,
           const std::function<void(const Member&)>& take);

  /// The next run begins, of which this is told; the runs count from 1.
  void undertake(Undertaking& what);
  void end_run() { undertaking_ = nullptr; }
  std::uint32_t runs() const { return runs_; }
  /// Waits a moment until they have left, and says to the others that nothing more comes.
  void dismiss();

 private:
  std::optional<Refusal> objection_to(const Hello& who, const Connection& line) const;
  std::optional<Refusal> refusal_for_room(const Hello& who, const Connection& line) const;
  void note(const std::string& text) { notes_.tell(text, loop_.turned_s()); }
  void admit(const Hello& who, std::shared_ptr<Connection> line);
  void hear(Member& member);
  void take(Member& member, const Frame& frame);
  void lose(Member& member, const std::string& why);
  Member known(const Hello& who);
  void meet(Member& member);
  void take_answer(Member& member, const AnswerPart& part, ByteView payload);
  static void take_alive(Member& member, const Alive& alive);
  void take_ready(Member& member, const Ready& ready);
  void answer(const Inquiry& inquiry, Connection& line);
  static bool is_called(const std::string& name, const Member& member);
  bool let_leave(const Inquiry& inquiry);
  std::vector<Listing> workers_now() const;
  bool send_text(Member& member);
  bool send_more(Member& member);
  void forget_texts();
  void await_ends(double patience_s);
  std::size_t untold_bytes(const Member& member) const;

  Members(Loop& loop, const NetworkOptions& options, std::uint32_t local_workers, const Address& address,
          const Endpoints& endpoints);

  /// The ranks of a process, which no other process gets.
  struct Seat {
    std::uint32_t rank, workers;
  };
  Loop& loop_;
  const NetworkOptions& options_;
  BoundedNotes notes_;
  std::list<Member> members_;
  std::uint32_t next_rank_;            // the master's own come before
  std::map<std::string, Seat> seats_;  // by secret name, of all processes that have ever joined
  std::set<std::uint32_t> leaving_;    // ranks that were asked to leave, even if they join again
  std::deque<std::string> texts_;
  std::size_t forgotten_texts_ = 0;  // before the first of them
  std::size_t kept_bytes_ = 0;
  std::uint32_t rounds_ = 0, runs_ = 0;
  bool is_asking_ = false;
  Undertaking* undertaking_ = nullptr;
  Admission admission_;  // who comes finds the rest there
  std::optional<StartedHosts> started_;
};

}  // namespace loadshare::tcp
