#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/dispatch/dispatcher.hpp"
#include "runtime/transport/task_signals.hpp"
#include "runtime/transport/waiting.hpp"

namespace loadshare {

/// What the master tells a worker.
struct Order {
  enum class Kind : std::uint32_t {
    chunk,   ///< compute it
    recall,  ///< hand it back if it is not begun; by message only, through shared memory see TaskSignals
    cancel,  ///< nobody waits for it any more; likewise
    stop,    ///< the run is over
  };
  static constexpr std::uint64_t in_place = UINT64_MAX;

  Kind kind = Kind::chunk;
  ChunkId id{};
  Chunk chunk = {};
  /// Where the result lands: of an AsideMemory the first byte, of ChunkBuffers the buffer.
  std::uint64_t place = in_place;
  /// Seconds that moving data took while the worker waited (its last result, this input); 0 in shared memory.
  double transfer_s = 0;
  /// When its input was there (monotonic_s of the worker's host); 0 in shared memory, where it always was.
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
    done,         ///< the result lies where it was to land
    handed_back,  ///< it was recalled before it was begun
    failed,       ///< the worker threw; why stands in the channel
    progressed,   ///< by message only, through shared memory see TaskSignals
    bye,          ///< by message only: the worker has heard that the run is over and sends nothing more
  };
  ChunkId id{};
  Kind kind = Kind::done;
  std::uint16_t is_timed = 0;
  float share_done = 0;  ///< of a chunk that progressed
  Stamps stamps = {};
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

  /// How many messages there were before the next one.
  std::uint32_t turn() const { return next_; }
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

  /// How many messages there were before the next one.
  std::uint32_t turn() const { return next_; }
  bool has_message() const { return slots_[next_ & mask_].turn.load(std::memory_order_acquire) == next_ + 1; }
  /// The next message stays; only when has_message().
  const Message& front() const { return slots_[next_ & mask_].message; }
  /// The next message; only when has_message().
  Message pop() { return slots_[next_++ & mask_].message; }

 private:
  RingSlot<Message>* slots_;
  std::uint32_t mask_;
  std::uint32_t next_ = 0;
};

/// Why a worker failed on a chunk.
struct Failure {
  static constexpr Index unknown = -1;

  Index at = unknown;             ///< the iteration, where the application said
  std::array<char, 1016> text{};  ///< zero-terminated

  static Failure of(std::string_view text, std::optional<Index> at);
  std::optional<Index> iteration() const { return at == unknown ? std::nullopt : std::optional(at); }
};

/// A failure on its way; whoever wrote it writes no other before it was taken.
struct FailureSlot {
  std::atomic<std::uint32_t> is_full;
  Failure failure;
};

/// The shared memory between the master and one worker of its host; zero when fresh.
struct ChannelMemory {
  Doorbell* worker_bell = nullptr;
  Doorbell* master_bell = nullptr;  ///< the same for all channels of the block
  FailureSlot* failure = nullptr;
  RingSlot<Order>* orders = nullptr;
  RingSlot<Report>* reports = nullptr;
  std::atomic<std::uint32_t>* recalls = nullptr;   ///< Recall, one for each place in the ring of orders
  std::atomic<std::uint64_t>* progress = nullptr;  ///< of the chunk that is computed (TaskSignals)
  std::uint32_t capacity = 0;                      ///< of either ring; a power of two

  /// What is said of the chunk whose order was the `turn`-th.
  TaskSignals signals(std::uint32_t turn) const {
    return {recalls[turn & (capacity - 1)], *progress, master_bell->consumer(), turn};
  }
};

/// How much of everything one host's control block holds.
struct ControlShape {
  std::size_t channels = 0;  ///< workers that the master reaches through this memory
  std::size_t prefetch = 0;  ///< chunks queued at a worker beyond the one it computes
  std::size_t pieces = 0;    ///< of the shared input
};

/// State of one piece of a host's shared input; spoiled: preparing it in place failed part of the way.
enum class PieceState : std::uint32_t { absent, raw, preparing, ready, spoiled };

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

 private:
  Doorbell* master_bell_ = nullptr;
  std::atomic<std::uint32_t>* over_ = nullptr;
  std::atomic<std::uint32_t>* piece_cursor_ = nullptr;
  std::span<std::atomic<std::uint32_t>> pieces_;
  std::vector<ChannelMemory> channels_;
};

}  // namespace loadshare
