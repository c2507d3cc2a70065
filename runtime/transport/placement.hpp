#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "runtime/transport/channel.hpp"
#include "runtime/transport/data_layout.hpp"

namespace loadshare {

/// Brings `part` of the result of `whole`, which landed in `aside`, to its place.
void bring_to_place(DataLayout& layout, Chunk whole, Chunk part, std::span<const std::byte> aside);

/// Room for one chunk's input or result after the other. It begins on a cache line, as the memory of those
/// workers does that compute in place: vector loads that cross lines take up to half as long again, and
/// whether they do would otherwise be up to malloc, from run to run.
class ChunkMemory {
 public:
  static constexpr std::size_t alignment = 64;  // of a cache line, in bytes

  /// Its first `bytes`, zeroed where they are new. What it held is gone when it has to grow.
  std::span<std::byte> fit(std::size_t bytes);

 private:
  struct Release {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Release> memory_;
  std::span<std::byte> aligned_;
};

/// Where one worker finds its chunks' inputs and leaves their results. Used by the worker's own thread.
class Placement {
 public:
  virtual ~Placement() = default;
  virtual std::span<const std::byte> input(const Order& order) = 0;
  virtual std::span<std::byte> output(const Order& order) = 0;
};

/// Inputs in the application's own memory, results there too or aside, as the order says.
class InSharedMemory final : public Placement {
 public:
  InSharedMemory(DataLayout& layout, std::span<std::byte> aside) : layout_(layout), aside_(aside) {}
  std::span<const std::byte> input(const Order& order) override { return layout_.input(order.chunk); }
  std::span<std::byte> output(const Order& order) override {
    return order.place == Order::in_place ? layout_.output(order.chunk)
                                          : aside_.subspan(order.place, layout_.output_bytes(order.chunk));
  }

 private:
  DataLayout& layout_;
  std::span<std::byte> aside_;
};

/// In buffers that another thread of this process fills and empties: a fixed number of slots, the order says
/// which.
class ChunkBuffers {
 public:
  ChunkBuffers(DataLayout& layout, std::size_t slots) : layout_(layout), slots_(slots) {}

  /// Takes a free slot for the chunk; nothing when there is none.
  std::optional<std::uint32_t> open(Chunk chunk);
  void close(std::uint32_t slot) { slots_[slot].is_used = false; }
  std::span<std::byte> input(std::uint32_t slot) { return slots_[slot].input; }
  std::span<std::byte> output(std::uint32_t slot) { return slots_[slot].output; }

 private:
  struct Slot {
    bool is_used = false;
    ChunkMemory input_memory, output_memory;
    std::span<std::byte> input, output;
  };
  DataLayout& layout_;
  std::vector<Slot> slots_;
};

class InBuffers final : public Placement {
 public:
  explicit InBuffers(ChunkBuffers& buffers) : buffers_(buffers) {}
  std::span<const std::byte> input(const Order& order) override { return buffers_.input(buffer(order)); }
  std::span<std::byte> output(const Order& order) override { return buffers_.output(buffer(order)); }

 private:
  static std::uint32_t buffer(const Order& order) { return static_cast<std::uint32_t>(order.place); }

  ChunkBuffers& buffers_;
};

}  // namespace loadshare
