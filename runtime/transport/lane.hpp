#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

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
};

/// What a worker tells the master.
struct Report {
  enum class Kind : std::uint16_t {
    done,     ///< the result lies at its place
    dropped,  ///< another worker's result was first; this one was not written
    failed,   ///< the worker threw; its text is in the lane
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
struct LaneMemory {
  Doorbell* worker_bell = nullptr;
  char* failure_text = nullptr;  ///< failure_text_bytes, zero-terminated
  RingSlot<Order>* orders = nullptr;
  RingSlot<Report>* reports = nullptr;
  std::uint32_t capacity = 0;  ///< of either ring; a power of two
};

}  // namespace loadshare
