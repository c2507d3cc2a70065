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

}  // namespace loadshare::timing_graph::collectives
