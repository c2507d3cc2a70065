#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/program/collectives/trees.hpp"
#include "models/program/timing_graph/program.hpp"

namespace loadshare::timing_graph::collectives {

/// Where an algorithm writes what one member does.
class MessageWriter final {
 public:
  struct Place {
    RankGroup members;
    std::int32_t tag = -1;     ///< of all messages of the call
    std::uint32_t origin = 0;  ///< the step that makes the call
    double reduction_s_per_byte = 0;
  };

  MessageWriter(OpList& ops, const Place& place) : ops_(&ops), place_(place) {}

  void send(int to, double bytes) { ops_->add(send_op(to, bytes)); }
  void receive(int from) { ops_->add(receive_op(from)); }
  std::uint32_t begin_send(int to, double bytes) { return begun(send_op(to, bytes)); }
  std::uint32_t begin_receive(int from) { return begun(receive_op(from)); }
  void wait(std::uint32_t request);
  /// For everything begun and not yet waited for.
  void wait_all();
  /// The receive is posted, the send made, the receive waited for.
  void exchange(int to, double bytes, int from);
  /// The operation of a reduction on so many bytes.
  void reduce(double bytes);

 private:
  Op send_op(int to, double bytes) const;
  Op receive_op(int from) const;
  std::uint32_t begun(const Op& op);

  OpList* ops_;
  Place place_;
  std::vector<std::uint32_t> open_;
};

/// One collective call of all members of a group, who are counted from 0 in it.
struct Call {
  int size = 1;
  int root = 0;
  /// By member; of alltoallv by sender, then receiver.
  std::vector<double> bytes;

  double of(int member) const { return bytes[static_cast<std::size_t>(member)]; }
  double between(int from, int to) const {
    const auto row = static_cast<std::size_t>(from) * static_cast<std::size_t>(size);
    return bytes[row + static_cast<std::size_t>(to)];
  }
  double total() const { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }
  /// The member `steps` after `member`, around the ring; `steps` may be negative, down to -size.
  int after(int member, int steps) const { return (member + steps + size) % size; }
  /// Bytes of `count` members from `first` on, around the ring.
  double of_some(int first, int count) const {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += of((first + i) % size);
    return sum;
  }
};

/// Along the tree from its root to all.
void broadcast_along(const Tree& tree, double bytes, MessageWriter& out);
/// Along the tree to its root. Two receives are open at a time: while one child's part is reduced, the next
/// may come.
void reduce_along(const Tree& tree, double bytes, MessageWriter& out);

}  // namespace loadshare::timing_graph::collectives
