#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/payload.hpp"
#include "runtime/transport/shared_input.hpp"

namespace loadshare::mpi {

/// The master's part in bringing the shared input to the other hosts: piece by piece, prepared, a few under
/// way to each host at a time.
class SharedSender {
 public:
  SharedSender(const Group& group, SharedInput& shared, std::size_t pieces);

  /// Moves on what can be moved; never waits. Prepares at most one piece, so that it is back soon.
  void progress();
  bool is_done() const { return is_done_; }
  /// When the last piece had gone (monotonic_s); nothing before that, and where there was none to send.
  std::optional<double> done_s() const { return done_s_; }

  /// No more pieces: returns how many were sent to this leader. What is under way is still completed.
  std::size_t stop(int leader);

 private:
  struct Host {
    int leader = 0;
    std::size_t next = 0;
    std::deque<Payload> under_way;
  };
  void feed(Host& host, bool& may_prepare);

  const Group& group_;
  SharedInput& shared_;
  std::size_t pieces_;
  std::size_t window_;  // pieces under way to a host at a time
  std::vector<Host> hosts_;
  bool is_stopped_ = false;
  bool is_done_ = false;
  std::optional<double> done_s_;
};

/// A host leader's part: takes the pieces into the host's window and marks them ready.
class SharedReceiver {
 public:
  SharedReceiver(const Group& group, SharedInput& shared, std::size_t pieces);

  /// Takes what has come; never waits. Returns whether anything had.
  bool progress();
  /// No more than `count` pieces in all will come; gives up waiting for others.
  void stop(std::size_t count);
  bool is_done() const { return next_done_ >= expected_; }

 private:
  void post();

  const Group& group_;
  SharedInput& shared_;
  std::size_t window_;
  std::size_t expected_;
  std::size_t next_posted_ = 0;
  std::size_t next_done_ = 0;
  std::deque<Payload> posted_;
};

}  // namespace loadshare::mpi
