#pragma once

#include <cstdint>
#include <vector>

#include "models/program/timing_graph/program.hpp"

namespace loadshare::timing_graph::collectives {

/// The ranks of a group, by member.
struct Members {
  std::int32_t first = 0;
  std::int32_t stride = 1;

  std::int32_t rank_of(int member) const { return first + static_cast<std::int32_t>(member) * stride; }
};

/// Where an algorithm writes what one member does.
class MessageWriter final {
 public:
  struct Place {
    Members members;
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

}  // namespace loadshare::timing_graph::collectives
