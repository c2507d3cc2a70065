#pragma once

#include <cstddef>
#include <span>

#include "base/types.hpp"

namespace loadshare {

/// What a transport must know of an application's data: how large it is, and where it lies. The transports
/// move it straight between these views; they never keep a copy of it.
class DataLayout {
 public:
  virtual ~DataLayout() = default;

  /// Bytes that must travel to a worker before it can compute `chunk`; the same on every rank, and never
  /// more for a part of a chunk than for all of it.
  virtual std::size_t input_bytes(Chunk) const { return 0; }
  /// Bytes that come back; the same on every rank.
  virtual std::size_t output_bytes(Chunk) const { return 0; }

  // Where all of the loop's `input` and `output` lie in memory from Farm::resident, which the ranks of the
  // master's host see, workers there read and write it in place; otherwise their chunks travel as messages.

  /// The chunk's input in the application's own memory: contiguous, input_bytes long. Asked for on the
  /// master, and on every rank that sees the same memory. With re-issue it lives as long as the farm: a rank
  /// that was stopped may fetch its chunk's input when the run is over.
  virtual std::span<const std::byte> input(Chunk) const { return {}; }
  /// The place of the chunk's result in the application's own memory: contiguous, output_bytes long.
  virtual std::span<std::byte> output(Chunk) { return {}; }

  /// This host's copy of what every worker needs (the first matrix), from Farm::replicated; empty: none. On
  /// the master's host it is filled before the run.
  virtual std::span<std::byte> shared_input() { return {}; }
  /// The shared input is sent and prepared in pieces of this many bytes (the last may be shorter).
  virtual std::size_t shared_piece_bytes() const { return shared_bytes_default; }
  /// Turns a piece of the shared input in place into the form `compute` reads, once a host and piece, on any
  /// worker thread of the host; other hosts get pieces already prepared.
  virtual void prepare_shared(std::size_t /*piece*/, std::span<std::byte> /*bytes*/) {}

 private:
  static constexpr std::size_t shared_bytes_default = std::size_t{1} << 21;
};

}  // namespace loadshare
