#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "models/messages/curve.hpp"
#include "models/messages/message_costs.hpp"

namespace loadshare::communication {

/// One message as it was measured, each side on its own clock. Its times are those of MessageCosts.
struct MessageSample {
  SendMode mode = SendMode::standard;
  ReceivePosted posted = ReceivePosted::before;
  double bytes = 0;
  double sender_s = 0;
  double receiver_s = 0;
  /// Posted after: whether the send was seen to return only after the receive had been posted.
  bool has_waited = false;
  std::size_t launch = 0;  ///< of the two processes
};

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

/// Where the two processes of a pair are.
enum class PairPlace : std::uint8_t { one_host, two_hosts };

/// What messages cost as fits of measured ones tell: a curve for each mode, side and time of the receive.
/// Where a standard send begins to wait for a late receive two curves are joined, each through sizes of its
/// own.
///
/// Not every mode needs to have been measured; asking for one that was not throws UsageError, which names it.
/// Looking a time up takes the logarithm of the number of segments.
class MessageModel final : public MessageCosts {
 public:
  /// Fits the samples by the fit of that name (see fits()). Of two hosts some send whose receive was posted
  /// before must be among them: it tells how long the wire is taken. Throws UsageError where it is not, where
  /// there are no samples, or where a curve's are too few. `gaps`: how far apart messages came that were sent
  /// one behind the other without an answer; none where that was not measured.
  MessageModel(std::span<const MessageSample> samples, const std::string& fit, PairPlace place,
               std::span<const Sample> gaps = {});

  bool waits_for_receive(SendMode mode, double bytes) const override;
  /// Never negative, even where the fit's line is.
  double sender_s(SendMode mode, ReceivePosted posted, double bytes) const override;
  double receiver_s(SendMode mode, ReceivePosted posted, double bytes) const override;
  /// By the slope of a posted receive over its largest octave, where the wire is all that counts, whatever
  /// the mode, standard if it was measured, but no less than the gap between messages of that size, which
  /// for short ones counts (LogGP's g); 0 on one host, whose memory has no port.
  double port_s(double bytes) const override;

  /// The size from which on standard sends wait for their receive: 0 where all do, infinite where none does.
  /// Throws UsageError where it was not measured.
  double waiting_from_bytes() const;

  /// Whether messages of that size were measured, or smaller and larger ones: else the times of it are
  /// extrapolated. Throws as curve() does.
  bool covers(SendMode mode, Side side, ReceivePosted posted, double bytes) const;
  /// The sizes that all that was measured covers.
  SizeRange measured_bytes() const;

  /// How far a new launch's messages are off the model: the standard deviation of the logarithm of what
  /// posted receives of large messages take; 0 where there are none.
  double deviation() const override { return deviation_; }

  /// With the intervals of its times. Throws UsageError where it was not measured.
  const Curve& curve(SendMode mode, Side side, ReceivePosted posted) const;
  bool has(SendMode mode, Side side, ReceivePosted posted) const;

 private:
  static std::size_t place_of(SendMode mode, Side side, ReceivePosted posted);
  /// Of a posted receive; none where none was measured.
  const Curve* wire_curve() const;
  void fit_all(std::span<const MessageSample> samples, const std::string& fit);

  std::array<std::optional<Curve>, 16> curves_;
  std::optional<double> waiting_from_bytes_;
  double port_s_a_byte_ = 0;
  std::optional<Curve> gap_;
  double deviation_ = 0;
};

}  // namespace loadshare::communication
