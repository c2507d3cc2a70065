#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/payload.hpp"
#include "runtime/transport/mpi/request_set.hpp"
#include "runtime/transport/mpi/shared_note.hpp"
#include "runtime/transport/shared_input.hpp"
#include "runtime/transport/shared_units.hpp"

namespace loadshare::mpi {

/// The part of another host's leader in bringing the shared input everywhere: it takes the units into its
/// host's window, marks pieces ready as they are whole, and passes on to the other leaders those that came
/// from the master.
class SharedRelay {
 public:
  SharedRelay(const Group& group, SharedInput& shared);

  /// Takes what has come and passes it on; never waits. Returns whether anything had.
  bool progress();
  /// The run is over: passes nothing more on, and sorts out with the other leaders what is still under way.
  void stop(const SharedEnd& end);
  bool is_done() const { return has_said_last_ && (!end_ || is_sorted_out_) && outgoing_.empty(); }

 private:
  /// A small message that stays until it has gone.
  struct Outgoing {
    RelayNote note;
    std::uint32_t count = 0;
    Payload payload;
  };
  struct Peer {
    int leader = 0;
    std::uint32_t count = 0;  // units that it passed on to us, once it has said so
    Payload incoming;
  };

  bool has_all() const { return received_ == units_.count(); }
  void take(std::size_t unit, int source);
  void pass_on(std::size_t unit);
  void passed_on_to_one(std::size_t unit);
  void tell_master();
  void exchange_counts();
  void sort_out();

  const Group& group_;
  SharedInput& shared_;
  SharedUnits units_;
  std::vector<Peer> peers_;
  RequestSet receives_;
  RequestSet forwards_;
  std::vector<std::uint32_t> units_missing_;     // by piece
  std::vector<std::uint32_t> forwards_to_come_;  // by unit: until it counts as passed on
  std::list<Outgoing> outgoing_;
  std::uint32_t received_ = 0;
  std::uint32_t passed_on_ = 0;  // units that every peer has been or is being sent
  std::uint32_t unsaid_ = 0;     // passed on, and the master not told yet
  bool has_said_all_ = false;
  bool has_said_last_ = false;
  std::optional<SharedEnd> end_;
  bool is_sorted_out_ = false;
};

}  // namespace loadshare::mpi
