#pragma once

#include <algorithm>

#include "models/communication/message_costs.hpp"
#include "schedulers/types.hpp"

namespace loadshare::predictor {

/// What a chunk's order, or its report, costs on its way, the short header and the data behind it.
struct Price {
  double lead_s = 0;      ///< from the sending until the data enter the port
  double port_s = 0;      ///< for which they keep others from the port
  double transfer_s = 0;  ///< from entering it until they are there

  /// The part of transfer_s in which they are neither in the port nor wait for it.
  double way_s() const { return std::max(0.0, transfer_s - port_s); }
};

/// The prices of one link's messages in one direction. The last one is kept in mind: techniques ask for the
/// same size again and again.
class PricedLink {
 public:
  /// Of messages with so many bytes beside those of each iteration. `costs` must outlive it.
  PricedLink(const communication::MessageCosts& costs, double header_bytes, double bytes_each)
      : costs_(&costs), header_bytes_(header_bytes), bytes_each_(bytes_each) {}

  /// Of a chunk of `size` iterations. `notice_s`: how long the receiver takes to see the header, after which
  /// alone it takes data too large to be sent unasked.
  const Price& price(Index size, double notice_s) {
    if (size != size_ || notice_s != notice_s_) compute(size, notice_s);
    return last_;
  }

 private:
  void compute(Index size, double notice_s);

  const communication::MessageCosts* costs_;
  double header_bytes_;
  double bytes_each_;
  Index size_ = -1;
  double notice_s_ = 0;
  Price last_;
};

}  // namespace loadshare::predictor
