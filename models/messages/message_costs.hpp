#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace loadshare::communication {

/// How a message is sent: MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend and their non-blocking forms.
enum class SendMode : std::uint8_t { standard, buffered, synchronous, ready };

inline constexpr std::array send_modes{SendMode::standard, SendMode::buffered, SendMode::synchronous,
                                       SendMode::ready};

/// Which of a message's two processes.
enum class Side : std::uint8_t { sender, receiver };

/// Whether the receive had been posted when the send began, or came later: the same send costs orders of
/// magnitude more or less by it. A ready send is only legal where it was posted.
enum class ReceivePosted : std::uint8_t { before, after };

/// As they are typed and written in files: "standard", "sender", "before".
std::string name_of(SendMode mode);
std::string name_of(Side side);
std::string name_of(ReceivePosted posted);

/// The value of that name; throws UsageError, with the nearest name, where there is none; `what` names what
/// `text` is the value of.
SendMode parse_send_mode(const std::string& what, const std::string& text);
ReceivePosted parse_receive_posted(const std::string& what, const std::string& text);

/// What a message costs its two processes, which is all that a timing graph asks of the network: whoever
/// evaluates one walks this interface, tests hand in their own. Sizes are bytes, times seconds, never
/// negative.
///
/// With s the time at which the send began, and r at which the receive was posted:
///
///     posted before (r <= s):          the send returns at s + sender_s(before),
///                                      the message is received at s + receiver_s(before)
///     posted after, not waiting:       the send returns at s + sender_s(after), whatever the receiver does,
///                                      and is received at max(r + receiver_s(after), s + receiver_s(before))
///     posted after, waiting:           the send returns at r + sender_s(after),
///                                      and is received at r + receiver_s(after)
class MessageCosts {
 public:
  virtual ~MessageCosts() = default;

  /// Whether a send whose receive is posted later returns only after that: always in synchronous mode, never
  /// in buffered mode, in standard mode from the size on at which MPI changes from eager to rendezvous.
  virtual bool waits_for_receive(SendMode mode, double bytes) const = 0;

  /// The sender's time. Ready mode with the receive posted `after` is a program's error: costs as standard
  /// mode.
  virtual double sender_s(SendMode mode, ReceivePosted posted, double bytes) const = 0;

  /// The receiver's time.
  virtual double receiver_s(SendMode mode, ReceivePosted posted, double bytes) const = 0;

  /// For how long a message keeps others from leaving its sender's host, and from reaching its receiver's: 0
  /// where messages side by side do not slow each other.
  virtual double port_s(double bytes) const = 0;

  /// How far the messages of another launch are off these, all together: the standard deviation of the
  /// logarithm of their times; 0 where nobody measured it.
  virtual double deviation() const { return 0; }
};

/// Costs that are all wrong by the same factor.
class ScaledCosts final : public MessageCosts {
 public:
  ScaledCosts(std::shared_ptr<const MessageCosts> costs, double factor)
      : costs_(std::move(costs)), factor_(factor) {}

  bool waits_for_receive(SendMode mode, double bytes) const override {
    return costs_->waits_for_receive(mode, bytes);
  }
  double sender_s(SendMode mode, ReceivePosted posted, double bytes) const override {
    return factor_ * costs_->sender_s(mode, posted, bytes);
  }
  double receiver_s(SendMode mode, ReceivePosted posted, double bytes) const override {
    return factor_ * costs_->receiver_s(mode, posted, bytes);
  }
  double port_s(double bytes) const override { return factor_ * costs_->port_s(bytes); }

 private:
  std::shared_ptr<const MessageCosts> costs_;
  double factor_;
};

/// Hockney's line t(n) = latency + n / bandwidth, for who has no calibration. A sender is busy while its
/// bytes leave, n / bandwidth, a receiver until they have come; buffering is free. A large standard send, and
/// every synchronous one, that waits for its receive needs one latency more for the receiver's answer.
/// Messages share a host's way out and its way in.
class LinearCosts final : public MessageCosts {
 public:
  struct Parameters {
    double latency_s = 50e-6;
    double bandwidth_bytes_per_s = 12.5e6;
    double eager_bytes = 65536;  ///< standard sends wait for their receive from here on
    /// Of the port that messages share, where it is wider than the way of one message; 0: as that.
    double port_bytes_per_s = 0;
  };

  explicit LinearCosts(const Parameters& parameters) : parameters_(parameters) {}

  bool waits_for_receive(SendMode mode, double bytes) const override;
  double sender_s(SendMode mode, ReceivePosted posted, double bytes) const override;
  double receiver_s(SendMode mode, ReceivePosted posted, double bytes) const override;
  double port_s(double bytes) const override {
    const double port = parameters_.port_bytes_per_s;
    return bytes / (port > 0 ? port : parameters_.bandwidth_bytes_per_s);
  }

 private:
  double leaving_s(double bytes) const { return bytes / parameters_.bandwidth_bytes_per_s; }

  Parameters parameters_;
};

}  // namespace loadshare::communication
