#include "models/program/collectives/message_writer.hpp"

namespace loadshare::timing_graph::collectives {

Op MessageWriter::send_op(int to, double bytes) const {
  return {bytes, place_.members.rank_of(to), place_.tag, no_request, place_.origin, OpKind::send};
}

Op MessageWriter::receive_op(int from) const {
  return {0, place_.members.rank_of(from), place_.tag, no_request, place_.origin, OpKind::receive};
}

std::uint32_t MessageWriter::begun(const Op& op) {
  open_.push_back(ops_->begin(op));
  return open_.back();
}

void MessageWriter::wait(std::uint32_t request) {
  ops_->wait(request, place_.origin);
  std::erase(open_, request);
}

void MessageWriter::wait_all() {
  for (const std::uint32_t request : open_) ops_->wait(request, place_.origin);
  open_.clear();
}

void MessageWriter::exchange(int to, double bytes, int from) {
  const std::uint32_t received = ops_->begin(receive_op(from));
  send(to, bytes);
  wait(received);
}

void MessageWriter::reduce(double bytes) {
  const double seconds = bytes * place_.reduction_s_per_byte;
  if (seconds > 0) ops_->add({.amount = seconds, .origin = place_.origin, .kind = OpKind::compute});
}

void broadcast_along(const Tree& tree, double bytes, MessageWriter& out) {
  if (tree.parent >= 0) out.receive(tree.parent);
  for (const int child : tree.children) out.begin_send(child, bytes);
  out.wait_all();
}

void reduce_along(const Tree& tree, double bytes, MessageWriter& out) {
  std::uint32_t coming = no_request;
  for (const int child : tree.children) {
    const std::uint32_t next = out.begin_receive(child);
    if (coming != no_request) {
      out.wait(coming);
      out.reduce(bytes);
    }
    coming = next;
  }
  if (coming != no_request) {
    out.wait(coming);
    out.reduce(bytes);
  }
  if (tree.parent >= 0) out.send(tree.parent, bytes);
}

/// In step k everybody signals the member 2^k after it.

}  // namespace loadshare::timing_graph::collectives
