#pragma once

#include <optional>
#include <vector>

#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/payload.hpp"
#include "runtime/transport/mpi/request_set.hpp"
#include "runtime/transport/mpi/shared_note.hpp"
#include "runtime/transport/shared_input.hpp"
#include "runtime/transport/shared_units.hpp"

namespace loadshare::mpi {

/// The master's part in bringing the shared input to the other hosts. Each unit leaves once, for one of the
/// hosts, which passes it on to all others (SharedRelay): so it costs the master's wire one copy, not one a
/// host, and all wires are busy at once (scatter and all-gather, as van de Geijn's broadcast of long
/// messages). A host gets its next unit when it has passed on an earlier one, so a slow host is asked less.
class SharedSender {
 public:
  SharedSender(const Group& group, SharedInput& shared);

  /// Moves on what can be moved; never waits. Prepares at most one piece, so that it is back soon. Returns
  /// whether anything had moved.
  bool progress();
  /// Nothing is under way any more.
  bool is_done() const { return is_done_; }
  /// When every host had its copy (monotonic_s); nothing before that, and where there was none to send.
  std::optional<double> done_s() const { return done_s_; }

  /// No more units: what to tell this leader. What is under way is still completed.
  SharedEnd stop(int leader);

 private:
  struct Host {
    int leader = 0;
    std::size_t credits = 0;  // units that may be under way to it and from it
    std::uint32_t sent = 0;
    bool has_all = false;
    bool is_finished = false;
    RelayNote note;
  };
  void await_note(Host& host);
  void take_note(Host& host);
  void feed();
  bool make_ready(std::size_t unit, bool& may_prepare);
  void send(std::size_t unit, Host& host);

  const Group& group_;
  SharedInput& shared_;
  SharedUnits units_;
  std::vector<Host> hosts_;
  std::size_t next_ = 0;  // unit
  RequestSet notes_;      // keys: places in hosts_
  RequestSet sends_;
  bool is_stopped_ = false;
  bool is_done_ = false;
  std::optional<double> done_s_;
};

}  // namespace loadshare::mpi
