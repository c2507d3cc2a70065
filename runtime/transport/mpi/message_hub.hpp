#pragma once

#include <array>
#include <deque>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/payload.hpp"
#include "runtime/transport/mpi/shared_sender.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare::mpi {

/// The master's side of all workers that are reached by messages. An order is a small message and, where the
/// chunk has input, a payload straight from the application's memory; a report likewise, with the result
/// received straight into its place. Sends never block, and a receive is always posted, so that no message
/// size and no prefetch depth can lock it up.
class MessageHub {
 public:
  MessageHub(const Group& group, Cargo& cargo, ControlBlock& control, SharedSender& sender,
             const std::vector<WorkerId>& workers);

  bool has_peers() const { return !peers_.empty(); }
  /// As MasterEnd::poll.
  std::size_t poll(std::span<Event> events);
  void give(WorkerId worker, const Assignment& assignment);
  std::string failure_text(WorkerId worker) const;
  /// Sends the last orders and stays until nothing is under way in either direction.
  void stop();

 private:
  /// A worker reports in the order it was given chunks, so one receive at a time does.
  struct Peer {
    enum class Awaits { report, payload, nothing };
    int rank = 0;
    WorkerId worker{};
    Awaits awaits = Awaits::report;
    Report report;
    Payload incoming;
    std::deque<Chunk> given;
    std::vector<std::byte> dropped;  // where a result lands that came second
    std::string failure_text;
  };
  struct Outgoing {
    Order order;
    Payload header;
    Payload input;
    bool is_complete() { return header.is_complete() && input.is_complete(); }
  };

  Peer& peer_of(WorkerId worker);
  void await_report(Peer& peer);
  bool advance(Peer& peer);
  void begin_payload(Peer& peer);
  std::span<std::byte> place_for_result(Peer& peer, Chunk chunk);
  void send(const Peer& peer, const Order& order, std::span<const std::byte> input);
  void reap_sends();

  const Group& group_;
  Cargo& cargo_;
  ControlBlock& control_;
  SharedSender& sender_;
  std::vector<Peer> peers_;
  std::vector<std::size_t> peer_by_worker_;
  std::list<Outgoing> outgoing_;
};

}  // namespace loadshare::mpi
