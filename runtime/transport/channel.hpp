#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/dispatch/dispatcher.hpp"
#include "runtime/transport/waiting.hpp"

namespace loadshare {

/// What the master tells a worker.
struct Order {
  enum class Kind : std::uint32_t { chunk, stop };
  Kind kind = Kind::chunk;
  std::uint32_t buffer = 0;  ///< of ChunkBuffers, where the worker's chunks lie in those
  ChunkId id{};
  Chunk chunk;
  /// Seconds that moving data took while the worker waited (its last result, this input); 0 in shared memory.
  double transfer_s = 0;
  /// When its input was there, on the worker's host clock; 0 in shared memory, where it always was.
  double received_s = 0;
};

/// Instants of one chunk on its worker's host clock (monotonic_s).
struct Stamps {
  double received_s = 0;  ///< 0: as soon as it was assigned, and queued since
  double begun_s = 0;
  double ended_s = 0;
  double cpu_s = 0;
  float waited_s = 0;  ///< between begun and ended, for the broadcast input
  float held_s = 0;    ///< between its end and its report, where it was computed together with later ones
};

/// What a worker tells the master.
struct Report {
  enum class Kind : std::uint16_t {
    done,     ///< the result lies at its place
    dropped,  ///< another worker's result was first; this one was not written
    failed,   ///< the worker threw; its text is in the channel
    bye,      ///< by message only: the worker has heard that the run is over and sends nothing more
  };
  ChunkId id{};
  Kind kind = Kind::done;
  std::uint16_t is_timed = 0;
  Stamps stamps;
};

/// One slot of a ring: a message and the turn that says whose it is, on one cache line, so that handing a
/// message over moves one line between two cores.
template <class Message>
struct alignas(64) RingSlot {
  std::atomic<std::uint32_t> turn;
  Message message;
};

static_assert(sizeof(RingSlot<Order>) == 64 && sizeof(RingSlot<Report>) == 64);

/// Writing end of a single-producer single-consumer ring over zeroed memory that two threads or processes
/// share. There is no room check: the protocol bounds the messages under way (prefetch + 1 and a stop), and
/// the ring is made larger than that.
template <class Message>
class RingWriter {
 public:
  RingWriter(RingSlot<Message>* slots, std::uint32_t capacity) : slots_(slots), mask_(capacity - 1) {}

  void push(const Message& message) {
    RingSlot<Message>& slot = slots_[next_ & mask_];
    slot.message = message;
    slot.turn.store(++next_, std::memory_order_release);
  }

 private:
  RingSlot<Message>* slots_;
  std::uint32_t mask_;
  std::uint32_t next_ = 0;
};

/// Reading end of the same ring.
template <class Message>
class RingReader {
 public:
  RingReader(RingSlot<Message>* slots, std::uint32_t capacity) : slots_(slots), mask_(capacity - 1) {}

  bool has_message() const { return slots_[next_ & mask_].turn.load(std::memory_order_acquire) == next_ + 1; }
  /// The next message; only when has_message().
  Message pop() { return slots_[next_++ & mask_].message; }

 private:
  RingSlot<Message>* slots_;
  std::uint32_t mask_;
  std::uint32_t next_ = 0;
};

inline constexpr std::size_t failure_text_bytes = 1024;

/// The shared memory between the master and one worker of its host; zero when fresh.
struct ChannelMemory {
  Doorbell* worker_bell = nullptr;
  char* failure_text = nullptr;  ///< failure_text_bytes, zero-terminated
  RingSlot<Order>* orders = nullptr;
  RingSlot<Report>* reports = nullptr;
  std::uint32_t capacity = 0;  ///< of either ring; a power of two
};

/// How much of everything one host's control block holds.
struct ControlShape {
  std::size_t channels = 0;  ///< workers that the master reaches through this memory
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
  const ChannelMemory& channel(std::size_t index) const { return channels_[index]; }
  std::size_t channels() const { return channels_.size(); }

  /// Whether the caller's result of the chunk is the first, and so may be written: true for one caller a
  /// chunk; always, where copies are never given (no claims).
  bool claim(Chunk chunk);

 private:
  Doorbell* master_bell_ = nullptr;
  std::atomic<std::uint32_t>* over_ = nullptr;
  std::atomic<std::uint32_t>* piece_cursor_ = nullptr;
  std::span<std::atomic<std::uint32_t>> pieces_;
  std::span<std::atomic<std::uint32_t>> claims_;  // a bit for each chunk's first iteration
  std::vector<ChannelMemory> channels_;
};

}  // namespace loadshare
