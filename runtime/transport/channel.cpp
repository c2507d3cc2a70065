#include "runtime/transport/channel.hpp"

#include <bit>

namespace loadshare {
namespace {

constexpr std::size_t line = 64;

/// Hands out consecutive cache-line-aligned parts of a block; with a null base it only measures.
class Cutter {
 public:
  explicit Cutter(std::byte* base) : base_(base) {}

  template <class T>
  T* cut(std::size_t count) {
    std::byte* place = base_ == nullptr ? nullptr : base_ + used_;
    used_ += (sizeof(T) * count + line - 1) / line * line;
    return reinterpret_cast<T*>(place);
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

/// Room for every order under way, a stop, and one to spare.
std::uint32_t ring_capacity(const ControlShape& shape) {
  return std::bit_ceil(static_cast<std::uint32_t>(shape.prefetch + 3));
}

ChannelMemory cut_channel(Cutter& cutter, const ControlShape& shape) {
  ChannelMemory channel;
  channel.capacity = ring_capacity(shape);
  channel.worker_bell = cutter.cut<Doorbell>(1);
  channel.failure = cutter.cut<FailureSlot>(1);
  channel.orders = cutter.cut<RingSlot<Order>>(channel.capacity);
  channel.reports = cutter.cut<RingSlot<Report>>(channel.capacity);
  channel.recalls = cutter.cut<std::atomic<std::uint32_t>>(channel.capacity);
  channel.progress = cutter.cut<std::atomic<std::uint64_t>>(1);
  return channel;
}

}  // namespace

Failure Failure::of(std::string_view text, std::optional<Index> at) {
  Failure failure{.at = at.value_or(unknown)};
  text.copy(failure.text.data(), failure.text.size() - 1);
  return failure;
}

std::size_t ControlBlock::bytes(const ControlShape& shape) {
  Cutter cutter(nullptr);
  cutter.cut<Doorbell>(1);
  cutter.cut<std::atomic<std::uint32_t>>(1);
  cutter.cut<std::atomic<std::uint32_t>>(1);
  cutter.cut<std::atomic<std::uint32_t>>(shape.pieces);
  for (std::size_t i = 0; i < shape.channels; ++i) cut_channel(cutter, shape);
  return cutter.used();
}

ControlBlock::ControlBlock(const ControlShape& shape, std::byte* zeroed_memory) {
  Cutter cutter(zeroed_memory);
  master_bell_ = cutter.cut<Doorbell>(1);
  over_ = cutter.cut<std::atomic<std::uint32_t>>(1);
  piece_cursor_ = cutter.cut<std::atomic<std::uint32_t>>(1);
  pieces_ = {cutter.cut<std::atomic<std::uint32_t>>(shape.pieces), shape.pieces};
  channels_.reserve(shape.channels);
  for (std::size_t i = 0; i < shape.channels; ++i) {
    channels_.push_back(cut_channel(cutter, shape));
    channels_.back().master_bell = master_bell_;
  }
}

}  // namespace loadshare
