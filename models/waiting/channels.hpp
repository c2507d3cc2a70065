#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace loadshare::waiting {

/// What messages must have in common not to overtake each other. Ranks are those of MPI_COMM_WORLD.
struct Channel {
  std::uint32_t communicator = 0;
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::int32_t tag = 0;

  bool operator==(const Channel&) const = default;
};

/// The messages under way in each channel, first sent first (MPI's non-overtaking rule).
class Channels {
 public:
  /// Messages are numbered as they come, from 0.
  void push(const Channel& channel);

  /// The message that the next receive of this channel gets.
  std::optional<std::uint32_t> front(const Channel& channel) const;

  std::optional<std::uint32_t> pop(const Channel& channel);

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  struct Hash {
    std::size_t operator()(const Channel& channel) const;
  };

  struct Ends {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };

  std::unordered_map<Channel, Ends, Hash> ends_;
  std::vector<std::uint32_t> next_;  ///< by message: the one behind it in its channel
};

}  // namespace loadshare::waiting
