#pragma once

#include <vector>

#include "models/communication/send_mode.hpp"
#include "schedulers/types.hpp"

namespace loadshare::tool {

/// What is measured between two ranks, and for how long.
struct SurveyOptions {
  Index min_bytes = 0;
  Index max_bytes = Index{4} << 20;
  std::vector<Index> sizes;  ///< in bytes, these alone, in order; empty: spread from the least to the most
  std::vector<communication::SendMode> modes{communication::send_modes.begin(),
                                             communication::send_modes.end()};
  Index seed = 1;          ///< of sizes and order
  double budget_s = 40;    ///< after which a pair is left as it is
  Index repetitions = 30;  ///< at least so many of each kind and size, where the budget allows
  Index most_repetitions = 400;
  double within = 0.02;  ///< the medians' intervals reach no further, as a share of them

  Index least_size() const { return sizes.empty() ? min_bytes : sizes.front(); }
  Index most_size() const { return sizes.empty() ? max_bytes : sizes.back(); }
};

/// How messages are sent and received.
struct MessageKind {
  communication::SendMode mode = communication::SendMode::standard;
  communication::ReceivePosted posted = communication::ReceivePosted::before;

  auto operator<=>(const MessageKind&) const = default;
};

/// The modes with the receive posted before and after, as far as MPI allows it.
std::vector<MessageKind> kinds_of(const SurveyOptions& options);

}  // namespace loadshare::tool
