#include "models/predictor/priced_link.hpp"

namespace loadshare::predictor {

using communication::ReceivePosted;
using communication::SendMode;

const Price& PricedLink::price(double header_bytes, double data_bytes, double notice_s) {
  if (header_bytes == header_bytes_ && data_bytes == data_bytes_ && notice_s == notice_s_) return last_;
  header_bytes_ = header_bytes;
  data_bytes_ = data_bytes;
  notice_s_ = notice_s;
  constexpr SendMode mode = SendMode::standard;
  const double all_bytes = header_bytes + data_bytes;
  if (costs_->waits_for_receive(mode, data_bytes))
    last_ = {costs_->receiver_s(mode, ReceivePosted::before, header_bytes) + notice_s,
             costs_->port_s(all_bytes), costs_->receiver_s(mode, ReceivePosted::after, data_bytes)};
  else
    last_ = {0, costs_->port_s(all_bytes), costs_->receiver_s(mode, ReceivePosted::before, all_bytes)};
  return last_;
}

}  // namespace loadshare::predictor
