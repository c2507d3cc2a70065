#pragma once

#include <array>
#include <cstdint>

#include "models/efficiency/waiting/calls.hpp"

namespace loadshare::waiting {

struct Matching;

/// Which side of a message a call is on.
enum class Side : std::uint8_t { sender, receiver };

/// On which sides, of one host and of two, a call for a message longer than all that are sent at once was
/// seen ending while the other side, which had begun, stayed outside MPI: there the transport does not need
/// that one's processor, at least not for all messages. (One copy through the kernel needs the receiver
/// alone, remote access to memory nobody.)
class Unaided {
 public:
  /// All but this of `matching` has been made.
  explicit Unaided(const Matching& matching);

  bool are_seen(Side side, bool on_one_host) const { return seen_[index(side, on_one_host)]; }

 private:
  static std::size_t index(Side side, bool on_one_host) {
    return 2 * static_cast<std::size_t>(side) + static_cast<std::size_t>(on_one_host);
  }
  std::array<bool, 4> seen_{};
};

/// What keeps a call whose partners have begun.
struct Progress {
  std::int64_t waited_ns = 0;  ///< they were outside MPI, and the transport needs them in it
  std::int64_t unsure_ns = 0;  ///< whether it does, or whether this call needs them, is not known
};

/// The same from `from_ns` on, within `in`: the call `ended` itself, or tests in vain before it. A partner
/// kept it that had begun, was outside MPI, came in before the call ended, and was not through with its own
/// side.
///
/// - messages: who sends waits for its receiver unless the message may be sent at once; who receives waits
///   for its sender if it is longer than all that are sent at once. Of other messages, and where some were
///   unaided, that is unsure; it is told if the call is for one message alone and it lasted longer than
///   `quick_ns`.
/// - started collectives: while all other members are outside, and unsure of more than one up to when the
///   last one came in.
/// - of broadcasts, reductions and their like those who are not the root, and of scans all: data go by way of
///   others, so up to when the last of them came it is unsure.
Progress progress_of(const Matching& matching, std::uint32_t rank, const Call& ended,
                     const profile::Event& in, std::int64_t from_ns);

/// What a call may take that waits for nobody: what lasts no longer is not looked into.
inline constexpr std::int64_t quick_ns = 100'000;

}  // namespace loadshare::waiting
