#pragma once

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "runtime/transport/mpi/group.hpp"
#include "runtime/transport/mpi/messages.hpp"
#include "runtime/transport/mpi/shared_broadcast.hpp"
#include "runtime/transport/placement.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare::mpi {

/// The master's side of all workers that are reached by messages. An order is a small message and, where the
/// chunk has input, a payload straight from the application's memory; a report likewise, with the result
/// received straight to where it lands. Sends never block, and a receive is always posted, so that no message
/// size and no prefetch depth can lock it up.
class MessageHub {
 public:
  MessageHub(const Group& group, DataLayout& layout, SharedSender& sender,
             const std::vector<WorkerId>& workers);

  bool has_peers() const { return !peers_.empty(); }
  // As those of MasterEnd.
  std::size_t poll(std::span<Event> events);
  /// Looks whether there is something for `poll`.
  bool has_come() { return take_arrivals() || !arrivals_.empty(); }
  void give(WorkerId worker, const Assignment& assignment);
  void recall(WorkerId worker, ChunkId id, Recall recall);
  void publish(WorkerId worker, Chunk part);
  /// Sends the last orders and stays until nothing is under way in either direction, for `patience_s`
  /// seconds at most. What comes later is for nobody.
  void stop(double patience_s);
  /// After `stop`: ranks that have not said that they heard it.
  std::vector<int> unheard() const;
  /// After `stop`: takes what has come; whether nothing is under way any more.
  bool finish();

 private:
  /// A worker reports in the order it was given chunks. Several of its reports may be here at once, of which
  /// those without a payload are told of together.
  struct Peer {
    enum class Awaits { report, payload, nothing };
    int rank = 0;
    WorkerId worker{};
    Awaits awaits = Awaits::report;
    std::unique_ptr<Inbox<Report>> reports;
    Report report;  // the latest of them
    std::size_t parts_to_come = 0;

    bool is_ready() const {
      return awaits == Awaits::report ? reports->has_next() : awaits == Awaits::payload && parts_to_come == 0;
    }
    /// Whether more than the report is there to be looked at before the next one comes.
    bool has_payload() const { return report.kind == Report::Kind::failed || returned.result_bytes > 0; }
    struct Given {
      Assignment assignment;
      std::size_t result_bytes = 0;
    };
    std::deque<Given> given;
    Given returned;     // whose result came last
    ChunkMemory aside;  // where that landed, if aside
    Failure failure;
  };
  /// An order stays until it and its input have gone.
  struct Outgoing {
    Order order;
    std::size_t parts_to_go = 0;
  };

  Peer& peer_of(WorkerId worker);
  void receive_payload(Peer& peer, std::span<std::byte> bytes, Tag tag);
  void arrived(std::size_t key);
  bool take_arrivals();
  bool advance(Peer& peer);
  void take_report(Peer& peer);
  void note_progress(const Peer& peer);
  void begin_payload(Peer& peer);
  std::span<std::byte> place_for_result(Peer& peer, const Peer::Given& given);
  void send(const Peer& peer, const Order& order, std::span<const std::byte> input);
  std::size_t send(const Peer& peer, std::span<const std::byte> bytes, Tag tag, std::size_t place);
  std::size_t room_to_send();
  void reap_sends();

  const Group& group_;
  DataLayout& layout_;
  SharedSender& sender_;
  std::vector<Peer> peers_;
  std::vector<std::size_t> peer_by_worker_;
  RequestSet receives_;               // keys: places in peers_ for payloads; behind them each peer's reports
  std::deque<std::size_t> arrivals_;  // peers that are ready
  std::deque<Event> progress_;
  RequestSet sends_;                // keys: places in outgoing_
  std::deque<Outgoing> outgoing_;   // which stay where they are
  std::vector<std::size_t> spare_;  // places there that have gone
  bool is_stopped_ = false;         // the application may be gone, and its memory with it
};

}  // namespace loadshare::mpi
