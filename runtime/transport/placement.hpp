#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/transport/cargo.hpp"
#include "runtime/transport/chunk_memory.hpp"
#include "runtime/transport/control_block.hpp"

namespace loadshare {

/// Where one worker finds its chunks' inputs and leaves their results. Used by the worker's own thread.
class Placement {
 public:
  virtual ~Placement() = default;
  virtual std::span<const std::byte> input(const Order& order) = 0;
  virtual std::span<std::byte> output(const Order& order) = 0;
  /// The chunk is computed: brings its result to its place. False: another worker's was first, and this one
  /// was dropped.
  virtual bool settle(Chunk, std::span<const std::byte> /*output*/) { return true; }
};

/// In the application's own memory.
class InPlace final : public Placement {
 public:
  explicit InPlace(Cargo& cargo) : cargo_(cargo) {}
  std::span<const std::byte> input(const Order& order) override { return cargo_.input(order.chunk); }
  std::span<std::byte> output(const Order& order) override { return cargo_.output(order.chunk); }

 private:
  Cargo& cargo_;
};

/// Results go into memory of the worker's own until it is known to be the first with them: where two workers
/// may compute the same chunk.
class FirstWins final : public Placement {
 public:
  FirstWins(Cargo& cargo, ControlBlock& control) : cargo_(cargo), control_(control) {}
  std::span<const std::byte> input(const Order& order) override { return cargo_.input(order.chunk); }
  std::span<std::byte> output(const Order& order) override;
  bool settle(Chunk chunk, std::span<const std::byte> output) override;

 private:
  Cargo& cargo_;
  ControlBlock& control_;
  ChunkMemory memory_;
};

/// In buffers that another thread of this process fills and empties: a fixed number of slots, the order says
/// which.
class ChunkBuffers {
 public:
  ChunkBuffers(Cargo& cargo, std::size_t slots) : cargo_(cargo), slots_(slots) {}

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
  Cargo& cargo_;
  std::vector<Slot> slots_;
};

class InBuffers final : public Placement {
 public:
  explicit InBuffers(ChunkBuffers& buffers) : buffers_(buffers) {}
  std::span<const std::byte> input(const Order& order) override { return buffers_.input(order.buffer); }
  std::span<std::byte> output(const Order& order) override { return buffers_.output(order.buffer); }

 private:
  ChunkBuffers& buffers_;
};

}  // namespace loadshare
