#include "models/predictor/priced_link.hpp"

namespace loadshare::predictor {

using communication::ReceivePosted;
using communication::SendMode;

void PricedLink::compute(Index size, double notice_s) {
  size_ = size;
  notice_s_ = notice_s;
  constexpr SendMode mode = SendMode::standard;
  const double data_bytes = bytes_each_ * static_cast<double>(size);
  const double all_bytes = header_bytes_ + data_bytes;
  if (costs_->waits_for_receive(mode, data_bytes))
    last_ = {costs_->receiver_s(mode, ReceivePosted::before, header_bytes_) + notice_s,
             costs_->port_s(all_bytes), costs_->receiver_s(mode, ReceivePosted::after, data_bytes)};
  else
    last_ = {0, costs_->port_s(all_bytes), costs_->receiver_s(mode, ReceivePosted::before, all_bytes)};
}

}  // namespace loadshare::predictor
