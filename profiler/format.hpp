#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiler/calls.hpp"

/// The file of a profile. The ranks of one kernel share a section: a header, a slot a rank, and after the
/// slots blocks in the order in which they were written. Sections of other kernels follow behind, or are
/// files of their own
/// (`FILE.rankN`) where the run did not come to its end. What a rank has in its slot is in the kernel's hands
/// as soon as it is stored, so it outlives the rank however that ends.
namespace loadshare::profile {

inline constexpr std::array<char, 16> file_magic{"loadshare profl"};
inline constexpr std::uint32_t format_version = 7;
inline constexpr std::uint64_t block_magic = 0x6b636f6c62657270;
inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t block_unit = 64;  ///< blocks begin at multiples of it
inline constexpr std::size_t tail_events = 1024;
inline constexpr std::size_t place_text_bytes = 64 << 10;
inline constexpr std::size_t module_text_bytes = 8 << 10;
inline constexpr std::uint64_t world_id = 0;
inline constexpr std::uint64_t unknown_communicator = ~std::uint64_t{0};

/// One instant on both clocks: the counter that events are stamped with, and CLOCK_MONOTONIC.
struct ClockPair {
  std::uint64_t ticks = 0;
  std::int64_t monotonic_ns = 0;
};

/// The counter's rate by two readings; 0 where no time passed between them.
inline double ticks_per_ns(const ClockPair& first, const ClockPair& second) {
  if (second.monotonic_ns <= first.monotonic_ns) return 0;
  return static_cast<double>(second.ticks - first.ticks) /
         static_cast<double>(second.monotonic_ns - first.monotonic_ns);
}

/// How far this kernel's CLOCK_MONOTONIC is ahead of rank 0's, at an instant of its own.
struct ClockOffset {
  std::int64_t at_ns = 0;
  std::int64_t ahead_ns = 0;
};

struct StoredEvent {
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
  std::uint64_t inside_ticks;
  std::uint64_t bytes;
  std::int32_t peer;
  std::int32_t tag;
  std::uint32_t request;
  std::uint32_t repeats;
  std::uint64_t communicator;  ///< its id, see Groups
  std::uint32_t place;
  std::uint16_t call;
  std::uint8_t part;
  std::uint8_t is_in_place;
};
static_assert(sizeof(StoredEvent) == 64);

/// In an event's place, behind that of a call of MPI_Pcontrol: the slot's sums as the call was over.
struct StoredSums {
  static constexpr std::uint8_t its_part = 0xff;  ///< where an event has its Part
  std::uint64_t end_ticks;
  std::uint64_t inside_ticks;
  std::int64_t stolen_ns;
  std::int64_t stolen_inside_ns;
  std::int64_t blocked_ns;
  std::array<std::uint64_t, 2> unused;
  std::int32_t level;
  std::uint16_t call;
  std::uint8_t part = its_part;
  std::uint8_t more_unused;
};
static_assert(sizeof(StoredSums) == sizeof(StoredEvent));
static_assert(offsetof(StoredSums, part) == offsetof(StoredEvent, part));

/// In an event's place, behind that of a call: what others had of the processor within the call.
struct StoredTheft {
  static constexpr std::uint8_t its_part = 0xfe;  ///< where an event has its Part
  std::int64_t stolen_ns;
  std::array<std::uint64_t, 6> unused;
  std::array<std::uint8_t, 6> more_unused;
  std::uint8_t part = its_part;
  std::uint8_t yet_more_unused;
};
static_assert(sizeof(StoredTheft) == sizeof(StoredEvent));
static_assert(offsetof(StoredTheft, part) == offsetof(StoredEvent, part));

/// What stands before the slots.
struct SectionHeader {
  std::array<char, 16> magic;
  std::uint32_t version;
  std::uint32_t calls;  ///< rows of the table of calls
  std::uint64_t run_id;
  std::uint64_t slot_bytes;
  std::uint32_t slots;
  std::uint32_t ranks_started;         ///< of the whole run
  std::uint64_t merged_bytes;          ///< where the next section begins; 0: there is none
  std::atomic<std::uint64_t> end;      ///< where the next block goes
  std::array<ClockOffset, 2> offsets;  ///< at the run's begin and end
  std::array<char, 1024> program;
  std::array<char, 1024> mpi;  ///< how it was set up: "name=value" lines, of a rank of this kernel
  std::uint64_t command_id;    ///< of the `loadshare profile` that started the run; 0: there was none
};
static_assert(sizeof(SectionHeader) <= page_bytes);

/// Of a slot's tail: the number of the block it will become, and how many events are in it.
struct TailState {
  std::uint32_t block;
  std::uint32_t events;
};

/// A sign of life: of a rank that ends without MPI_Finalize, or of one that lives.
struct LifeSign {
  static constexpr std::int64_t not_recorded = -1;
  ClockPair clock;      ///< ticks 0: there is none
  std::int64_t ran_ns;  ///< since the last reading of the processor's time, or not_recorded; ditto:
  std::int64_t waited_ns;
  std::int64_t other_threads_cpu_ns;  ///< as Slot's, up to here
  std::int32_t signal;                ///< that ends it; 0: it leaves by exit() or MPI_Abort
  std::int32_t unused;
};

struct Slot {
  std::array<StoredEvent, tail_events> tail;  ///< first, so that each event is one cache line
  /// The call that the rank went into last. It is still in it where this begins at `end_ticks`.
  StoredEvent open;
  std::uint64_t run_id;  ///< 0 until the rank has begun
  std::int32_t rank;
  std::uint8_t has_finalized;
  std::uint8_t has_aborted;  ///< MPI_Abort was called here
  std::uint8_t tells_stolen;
  std::uint8_t unused;
  std::uint32_t places;   ///< texts in `place_text`, each ended by a zero byte
  std::uint32_t modules;  ///< paths in `module_text`, ditto: the files that places name without their folders
  double capacity;
  ClockPair first_clock;
  ClockPair last_clock;
  LifeSign last_sign;             ///< as it ended, where it had the time to
  std::array<LifeSign, 2> signs;  ///< by turns, while it lives
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;  ///< up to which the sums go: the last way into MPI, or out of it
  std::uint64_t inside_ticks;
  std::uint64_t outside_ticks;
  std::int64_t stolen_ns;  ///< outside MPI
  std::int64_t stolen_inside_ns;
  std::int64_t blocked_ns;
  std::int64_t other_threads_cpu_ns;  ///< of a rank that has finalized; the signs have the others'
  std::atomic<std::uint64_t> calls_of_other_threads;
  std::uint64_t events_dropped;
  std::uint64_t events_end_ticks;  ///< of the first event dropped
  std::uint64_t groups_dropped;    ///< communicators and windows whose description found no room
  std::atomic<TailState> tail_state;
  /// The processors that the rank may run on, a bit each; empty: not known. Linux has at most 8,192.
  std::array<std::uint64_t, 128> processors;
  std::array<char, 256> host;
  std::array<char, place_text_bytes> place_text;
  std::array<char, module_text_bytes> module_text;
};
static_assert(std::atomic<TailState>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

inline constexpr std::size_t slot_bytes = (sizeof(Slot) + page_bytes - 1) / page_bytes * page_bytes;

constexpr std::size_t slot_offset(std::size_t index) {
  return page_bytes + index * slot_bytes;
}

enum class BlockKind : std::uint32_t { events = 1, communicator = 2 };

/// Stands before a block's content. It is written after the content: a block without it was cut short.
struct BlockHeader {
  std::uint64_t magic;
  std::uint64_t run_id;
  BlockKind kind;
  std::int32_t rank;
  std::uint32_t number;  ///< events: of the rank's blocks, from 0
  std::uint32_t count;   ///< events; members
  std::uint64_t content_bytes;
  std::uint64_t communicator;  ///< its id
  std::array<std::uint64_t, 2> unused;
};
static_assert(sizeof(BlockHeader) == block_unit);

/// The content of a communicator's block; its members follow, each an std::int32_t.
struct CommunicatorContent {
  std::array<char, 64> name;
};

constexpr std::uint64_t rounded_to_unit(std::uint64_t bytes) {
  return (bytes + block_unit - 1) / block_unit * block_unit;
}

}  // namespace loadshare::profile
