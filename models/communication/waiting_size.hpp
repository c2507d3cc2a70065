#pragma once

#include <optional>
#include <span>

#include "models/communication/message_sample.hpp"

namespace loadshare::communication {

/// Whether most standard sends of one size were seen to wait for a receive that was posted later.
struct SizeWait {
  double bytes = 0;
  bool is_waiting = false;
};

/// Where standard sends begin to wait for their receive, where MPI changes from eager to rendezvous: between
/// two sizes that were measured.
struct WaitingBorder {
  std::optional<double> below_bytes;  ///< none where all wait
  std::optional<double> above_bytes;  ///< none where none waits

  /// In the middle between the two; 0 where all wait, infinite where none does.
  double bytes() const;
};

/// The border that the fewest of `sizes` contradict, which are in order: one whose few messages were late by
/// chance moves it nowhere. Of no sizes none waits.
WaitingBorder waiting_border(std::span<const SizeWait> sizes);

/// The border's bytes by samples of all kinds, of which the standard ones posted `after` tell.
double waiting_size(std::span<const MessageSample> samples);

}  // namespace loadshare::communication
