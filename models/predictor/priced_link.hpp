#pragma once

#include <algorithm>

#include "models/communication/message_costs.hpp"

namespace loadshare::predictor {

/// What a chunk's order, or its report, costs on its way, the short header and the data behind it.
struct Price {
  double lead_s = 0;      ///< from the sending until the data enter the port
  double port_s = 0;      ///< for which they keep others from the port
  double transfer_s = 0;  ///< from entering it until they are there

  /// The part of transfer_s in which they are neither in the port nor wait for it.
  double way_s() const { return std::max(0.0, transfer_s - port_s); }
};

/// The prices of one link. The last one is kept in mind: techniques ask for the same size again and again.
class PricedLink {
 public:
  explicit PricedLink(const communication::MessageCosts& costs) : costs_(&costs) {}

  /// `notice_s`: how long the receiver takes to see the header, after which alone it takes data too large to
  /// be sent unasked.
  const Price& price(double header_bytes, double data_bytes, double notice_s);

 private:
  const communication::MessageCosts* costs_;
  double header_bytes_ = -1;
  double data_bytes_ = -1;
  double notice_s_ = 0;
  Price last_;
};

}  // namespace loadshare::predictor
