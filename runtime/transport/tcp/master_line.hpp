#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "runtime/host/clock.hpp"
#include "runtime/transport/network.hpp"
#include "runtime/transport/tcp/admission.hpp"
#include "runtime/transport/tcp/connection.hpp"
#include "runtime/transport/tcp/lease.hpp"
#include "runtime/transport/tcp/messages.hpp"

namespace loadshare::tcp {

/// How far this process's clock is ahead of the master's: of several exchanges the quickest knows best.
class ClockOffset {
 public:
  void learn(const Pulse& pulse) {
    const double now_s = monotonic_s();
    const double took_s = now_s - pulse.sent_s;
    if (took_s < 0 || took_s >= quickest_s_) return;
    quickest_s_ = took_s;
    offset_s_ = (pulse.sent_s + now_s) / 2 - pulse.master_s;
  }
  double seconds() const { return offset_s_; }

 private:
  double quickest_s_ = std::numeric_limits<double>::infinity();
  double offset_s_ = 0;
};

/// A connection to the master, what its wire needs, and where it was found.
struct Dialled {
  Admission::Wiring wiring;
  Endpoints endpoints;
  std::shared_ptr<Connection> line;
};

/// What an error begins with if nothing listens at the master's address, which follows.
inline constexpr const char* no_master_at = "no master at ";

/// Connects with the master at `network.join`, for which it is tried so long. Throws Error(run_failed) where
/// nobody is there, Error(interrupted), UsageError as make_wiring does. `option`: that gave the address.
Dialled dial(Loop& loop, const NetworkOptions& network, double patience_s,
             const std::string& option = "--join");

/// What there is to say where the master ended the connection before it let this process in.
[[noreturn]] void throw_not_let_in(const NetworkOptions& network, const std::string& why);

/// A worker's process's connection to the master, of one thread.
class MasterLine {
 public:
  /// Called with the frames of a run.
  using Take = std::function<void(const Frame&)>;

  /// Joins with so many workers. Throws as make_tcp_worker says.
  MasterLine(const NetworkOptions& network, std::size_t workers);
  ~MasterLine() { line().close(); }

  Loop& loop() { return loop_; }
  Connection& line() { return *dialled_.line; }
  std::uint32_t rank() const { return rank_; }
  double clock_offset_s() const { return offset_.seconds(); }
  /// The master's next text. Throws as wait_for_master does.
  std::string next_text();
  void answer(const std::string& text);
  void say_alive() { line().send(Alive{monotonic_s(), offset_.seconds(), Lease::now_s()}); }
  /// Says that nothing more comes, and waits until the master has heard it, or nothing moves any more.
  void say_farewell();
  /// The same as say_alive, and the clock is known well enough.
  void say_idle() { line().send(Alive{0, offset_.seconds()}); }
  /// When the latest message that the master has answered was sent, on the lease's clock.
  double lease_from_s() const { return lease_from_s_; }
  /// For a lease that has run out during a computation: ends all threads immediately. The process starts
  /// anew, to join again, or ends. May be called by any thread.
  [[noreturn]] void end_computing() const noexcept;

  void set_run(Take take, std::function<bool()> send_more, std::function<void(std::uint64_t)> sent);
  void end_run() {
    set_run(
        {}, [] { return false; }, [](std::uint64_t) {});
  }
  /// To be called before the run's memory is freed: copies its queued parts, and drops its callbacks. If no
  /// memory is available for that, the connection ends.
  void leave_run() noexcept;
  /// Throws Error where the master is not there any more, or has no more use for this process; its code is
  /// `good` where somebody asked for that.
  void require_master() const;
  /// Waits a while for whatever the master says next. Throws as require_master does, and Error(interrupted).
  void wait_for_master();

 private:
  void introduce(std::size_t workers);
  /// Whether it has answered; else the connection has ended, and another is to be tried.
  bool await_answer();
  /// The connection ended without an answer: throws unless another attempt is worthwhile.
  void require_another_attempt();
  /// Its master was killed, or seemed to be, and another may go on: that is waited for as long as it was told
  /// to.
  bool comes_back() const { return !network_.known_as.empty() && network_.may_come_back; }
  bool is_master_there_again() const;
  void take(const Frame& frame);
  void take_welcome(const Welcome& welcome);
  void take_pulse(const Pulse& pulse);
  void take_text(const TextPart& part, ByteView payload);

  Loop loop_;
  const NetworkOptions& network_;
  double begun_s_ = monotonic_s();
  double end_s_;  // of trying to get to the master
  Dialled dialled_;
  std::uint32_t rank_ = 0;
  std::optional<Refusal> refusal_;
  std::optional<std::string> ended_;  // why
  bool is_retry_noted_ = false;
  std::optional<double> unanswered_until_s_;  // since a connection has ended without a word
  bool is_dismissed_ = false;
  std::string name_;  // by which the master knows it again
  bool may_come_back_ = false;
  bool has_farewell_ = false;
  std::deque<std::string> texts_;
  std::string text_;  // as much as has come of the next
  std::uint32_t rounds_ = 0;
  ClockOffset offset_;
  double lease_from_s_ = -std::numeric_limits<double>::infinity();
  Take take_run_;
};

}  // namespace loadshare::tcp
