#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/transport/lane.hpp"

namespace loadshare {

/// How much of everything one host's control block holds.
struct ControlShape {
  std::size_t lanes = 0;     ///< workers that the master reaches through this memory
  std::size_t prefetch = 0;  ///< chunks queued at a worker beyond the one it computes
  std::size_t pieces = 0;    ///< of the shared input
  std::size_t claims = 0;    ///< iterations, where copies of a chunk may race; 0 without re-issue
};

/// State of one piece of a host's shared input.
enum class PieceState : std::uint32_t { absent, raw, preparing, ready };

/// The few words through which the threads and processes of one host work together in a run: a plain view of
/// zeroed memory that they share (heap for threads, an MPI shared-memory window for ranks).
class ControlBlock {
 public:
  static std::size_t bytes(const ControlShape& shape);
  ControlBlock(const ControlShape& shape, std::byte* zeroed_memory);

  Doorbell& master_bell() { return *master_bell_; }
  /// Set when the run is over, whatever is still being computed.
  std::atomic<std::uint32_t>& over() { return *over_; }
  /// The next piece that nobody has looked at for preparing.
  std::atomic<std::uint32_t>& piece_cursor() { return *piece_cursor_; }
  std::span<std::atomic<std::uint32_t>> pieces() { return pieces_; }
  const LaneMemory& lane(std::size_t index) const { return lanes_[index]; }
  std::size_t lanes() const { return lanes_.size(); }

  /// Whether the caller's result of the chunk is the first, and so may be written: true for one caller a
  /// chunk; always, where copies are never given (no claims).
  bool claim(Chunk chunk);

 private:
  Doorbell* master_bell_ = nullptr;
  std::atomic<std::uint32_t>* over_ = nullptr;
  std::atomic<std::uint32_t>* piece_cursor_ = nullptr;
  std::span<std::atomic<std::uint32_t>> pieces_;
  std::span<std::atomic<std::uint32_t>> claims_;  // a bit for each chunk's first iteration
  std::vector<LaneMemory> lanes_;
};

}  // namespace loadshare
