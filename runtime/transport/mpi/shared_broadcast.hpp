#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "runtime/dispatch/shared_units.hpp"
#include "runtime/transport/channel.hpp"
#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/messages.hpp"
#include "runtime/transport/shared_input.hpp"

namespace loadshare::mpi {

/// What the leader of a host tells the master of the shared input.
struct RelayNote {
  std::uint32_t passed_on = 0;   ///< units since the last note: so many more it can be given
  std::uint16_t has_all = 0;     ///< this host's copy is complete
  std::uint16_t is_last = 0;     ///< nothing is under way any more, no further note comes
  std::int32_t wants = nothing;  ///< a unit that somebody else should have passed on and has not

  static constexpr std::int32_t nothing = -1;
};

/// What the master's last order tells a leader besides.
struct SharedEnd {
  std::uint32_t units_sent = 0;  ///< to this leader
  bool is_everywhere = true;     ///< every host has its copy, so that there is nothing to be sorted out
  std::uint32_t sent_again = 0;  ///< units, to this leader

  Order order() const {
    Order order;
    order.kind = Order::Kind::stop;
    order.chunk = {is_everywhere ? 1 : 0, static_cast<Index>(units_sent)};
    order.place = sent_again;
    return order;
  }
  static SharedEnd from(const Order& order) {
    return {static_cast<std::uint32_t>(order.chunk.size), order.chunk.first != 0,
            static_cast<std::uint32_t>(order.place)};
  }
};

/// The master's part in bringing the shared input to the other hosts. Each unit leaves once, for one of the
/// hosts, which passes it on to all others (SharedRelay): so it costs the master's wire one copy, not one a
/// host, and all wires are busy at once (scatter and all-gather, as van de Geijn's broadcast of long
/// messages). A host gets its next unit when it has passed on an earlier one, so a slow host is asked less.
/// Where one is stopped, the others ask for the units that it should have passed on, and get them from here.
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
    std::set<std::size_t> sent_again = {};  // units
    bool has_all = false;
    bool is_finished = false;
    RelayNote note;
  };
  void await_note(Host& host);
  void take_note(Host& host);
  void feed();
  bool make_ready(std::size_t unit, bool& may_prepare);
  void send(std::size_t unit, Host& host);
  void send_again(std::size_t unit, Host& host);
  void start_send(std::size_t unit, int leader, int tag);

  const Group& group_;
  SharedInput& shared_;
  SharedUnits units_;
  std::vector<Host> hosts_;
  std::size_t next_ = 0;      // unit
  std::vector<int> sent_to_;  // by unit: the leader that passes it on
  RequestSet notes_;          // keys: places in hosts_
  RequestSet sends_;
  bool is_stopped_ = false;
  bool is_done_ = false;
  std::optional<double> done_s_;
};

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

  // Without a unit for so long, the master is asked; and after so many times as long as one takes usually.
  static constexpr double least_silence_s = 0.1, longest_silence_s = 1, many_times = 20;

  bool has_all() const { return here_ == units_.count(); }
  void take(std::size_t unit, int source);
  void arrived(std::size_t unit);
  void pass_on(std::size_t unit);
  void ask_for_missing();
  void ask_for(std::size_t unit);
  void take_again(std::size_t unit);
  void passed_on_to_one(std::size_t unit);
  void tell_master();
  void exchange_counts();
  void sort_out();

  const Group& group_;
  SharedInput& shared_;
  SharedUnits units_;
  std::vector<Peer> peers_;
  RequestSet receives_;  // keys: units
  RequestSet forwards_;
  RequestSet again_;                                       // receives of units that were asked for
  std::map<std::size_t, std::vector<std::byte>> scratch_;  // for these
  std::vector<bool> is_here_;                              // by unit
  std::size_t here_ = 0;                                   // units
  double begun_s_;                                         // when the first was awaited
  double asks_at_s_;                                       // unless a unit comes before
  std::vector<std::uint32_t> units_missing_;               // by piece
  std::vector<std::uint32_t> forwards_to_come_;            // by unit: until it counts as passed on
  std::list<Outgoing> outgoing_;
  std::uint32_t received_ = 0;  // units, as they were passed on
  std::uint32_t came_again_ = 0;
  std::uint32_t passed_on_ = 0;  // units that every peer has been or is being sent
  std::uint32_t unsaid_ = 0;     // passed on, and the master not told yet
  bool has_said_all_ = false;
  bool has_said_last_ = false;
  std::optional<SharedEnd> end_;
  bool is_sorted_out_ = false;
};

}  // namespace loadshare::mpi
