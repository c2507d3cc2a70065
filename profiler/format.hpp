#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiler/calls.hpp"

/// The format of a profile file.
///
/// A run writes one section per kernel (that is, per machine). A section consists of
/// 1. one page with the SectionHeader;
/// 2. one Slot for each rank of the kernel, each at a page boundary;
/// 3. blocks in the order in which they were written: a BlockHeader and its content, at multiples of
///    `block_unit`.
///
/// The file's first section is that of rank 0's kernel. At the end of the run rank 0 appends the sections of
/// the other kernels, each at a page boundary. If the run does not reach its end, they stay in files of their
/// own (`FILE.rankN`).
///
/// Slots and headers are mapped into the processes. The kernel keeps what a rank has stored there, so it
/// survives the rank, however that ends.
namespace loadshare::profile {

inline constexpr std::array<char, 16> file_magic{"loadshare profl"};
inline constexpr std::uint32_t format_version = 7;
inline constexpr std::uint64_t block_magic = 0x6b636f6c62657270;
inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t block_unit = 64;  ///< alignment of blocks
inline constexpr std::size_t tail_events = 1024;
inline constexpr std::size_t place_text_bytes = 64 << 10;
inline constexpr std::size_t module_text_bytes = 8 << 10;
inline constexpr std::uint64_t world_id = 0;
inline constexpr std::uint64_t unknown_communicator = ~std::uint64_t{0};

/// One instant on both clocks: the counter that stamps events, and CLOCK_MONOTONIC.
struct ClockPair {
  std::uint64_t ticks = 0;
  std::int64_t monotonic_ns = 0;
};

/// Returns the counter's rate between two readings; 0 if no time passed between them.
inline double ticks_per_ns(const ClockPair& first, const ClockPair& second) {
  if (second.monotonic_ns <= first.monotonic_ns) return 0;
  return static_cast<double>(second.ticks - first.ticks) /
         static_cast<double>(second.monotonic_ns - first.monotonic_ns);
}

/// The difference of this kernel's CLOCK_MONOTONIC to rank 0's, at an instant of this kernel's clock.
struct ClockOffset {
  std::int64_t at_ns = 0;
  std::int64_t ahead_ns = 0;
};

/// An Event as it is stored; times are ticks of the rank's counter.
struct StoredEvent {
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
  std::uint64_t inside_ticks;
  std::uint64_t bytes;
  std::int32_t peer;
  std::int32_t tag;
  std::uint32_t request;
  std::uint32_t repeats;
  std::uint64_t communicator;  ///< its id (see Groups)
  std::uint32_t place;
  std::uint16_t call;
  std::uint8_t part;
  std::uint8_t is_in_place;
};
static_assert(sizeof(StoredEvent) == 64);

/// An entry among the events, after a call of MPI_Pcontrol: the slot's sums at the end of that call.
struct StoredSums {
  static constexpr std::uint8_t its_part = 0xff;  ///< in the place of an event's Part
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

/// An entry among the events, after a call: the time within the call in which other programs had the
/// processor.
struct StoredStolenTime {
  static constexpr std::uint8_t its_part = 0xfe;  ///< in the place of an event's Part
  std::int64_t stolen_ns;
  std::array<std::uint64_t, 6> unused;
  std::array<std::uint8_t, 6> more_unused;
  std::uint8_t part = its_part;
  std::uint8_t yet_more_unused;
};
static_assert(sizeof(StoredStolenTime) == sizeof(StoredEvent));
static_assert(offsetof(StoredStolenTime, part) == offsetof(StoredEvent, part));

/// The first page of a section.
struct SectionHeader {
  std::array<char, 16> magic;
  std::uint32_t version;
  std::uint32_t calls;  ///< number of rows in the table of calls
  std::uint64_t run_id;
  std::uint64_t slot_bytes;
  std::uint32_t slots;
  std::uint32_t ranks_started;         ///< of the whole run
  std::uint64_t merged_bytes;          ///< offset of the second section; 0: there is none
  std::atomic<std::uint64_t> end;      ///< offset of the next block
  std::array<ClockOffset, 2> offsets;  ///< at the run's start and end
  std::array<char, 1024> program;
  std::array<char, 1024> mpi;  ///< MPI's settings: "name=value" lines of one rank of this kernel
  std::uint64_t command_id;    ///< identifies the `loadshare profile` that started the run; 0: none did
};
static_assert(sizeof(SectionHeader) <= page_bytes);

/// The state of a slot's tail: the number of the block that it will become, and its number of events.
struct TailState {
  std::uint32_t block;
  std::uint32_t events;
};

/// A rank's record that it was alive: written periodically while it runs, and once more when it ends without
/// MPI_Finalize.
struct Heartbeat {
  static constexpr std::int64_t not_recorded = -1;
  ClockPair clock;                    ///< ticks 0: the heartbeat was not written
  std::int64_t ran_ns;                ///< since the last reading of the processor time; or not_recorded
  std::int64_t waited_ns;             ///< likewise
  std::int64_t other_threads_cpu_ns;  ///< as in Slot, up to this heartbeat
  std::int32_t signal;                ///< the signal that ends the rank; 0: it ends by exit() or MPI_Abort
  std::int32_t unused;
};

/// The data that one rank records: its latest events, its sums, and the texts that its events refer to.
struct Slot {
  std::array<StoredEvent, tail_events> tail;  ///< first, so that each event is one cache line
  /// The last call that the rank entered. The rank is still in it if its start equals `end_ticks`.
  StoredEvent open;
  std::uint64_t run_id;  ///< 0 until the rank has started to record
  std::int32_t rank;
  std::uint8_t has_finalized;
  std::uint8_t has_aborted;  ///< MPI_Abort was called here
  std::uint8_t is_stolen_known;
  std::uint8_t unused;
  std::uint32_t places;  ///< number of texts in `place_text`, each terminated by a zero byte
  /// Number of paths in `module_text`: the files that places name, without folders there.
  std::uint32_t modules;
  double capacity;
  ClockPair first_clock;
  ClockPair last_clock;
  Heartbeat final_heartbeat;            ///< written at the rank's end, if it had time to
  std::array<Heartbeat, 2> heartbeats;  ///< written alternately while it runs
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;  ///< end of the sums: the last time it entered or left MPI
  std::uint64_t inside_ticks;
  std::uint64_t outside_ticks;
  std::int64_t stolen_ns;  ///< time outside MPI in which other programs had the processor
  std::int64_t stolen_inside_ns;
  std::int64_t blocked_ns;
  /// Set by MPI_Finalize; until then the heartbeats contain it.
  std::int64_t other_threads_cpu_ns;
  std::atomic<std::uint64_t> calls_of_other_threads;
  std::uint64_t events_dropped;
  std::uint64_t events_end_ticks;  ///< start of the first dropped event
  std::uint64_t groups_dropped;    ///< communicators and windows whose description did not fit
  std::atomic<TailState> tail_state;
  /// The processors that the rank may run on, one bit each; all zero: unknown. Linux has at most 8,192.
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

/// The head of a block. It is written after the content, so a block without it is incomplete.
struct BlockHeader {
  std::uint64_t magic;
  std::uint64_t run_id;
  BlockKind kind;
  std::int32_t rank;
  std::uint32_t number;  ///< of an events block: its position among the rank's blocks, from 0
  std::uint32_t count;   ///< of events or of members
  std::uint64_t content_bytes;
  std::uint64_t communicator;  ///< of a communicator block: its id
  std::array<std::uint64_t, 2> unused;
};
static_assert(sizeof(BlockHeader) == block_unit);

/// The content of a communicator block. The members follow, each an std::int32_t.
struct CommunicatorContent {
  std::array<char, 64> name;
};

constexpr std::uint64_t rounded_to_unit(std::uint64_t bytes) {
  return (bytes + block_unit - 1) / block_unit * block_unit;
}

}  // namespace loadshare::profile
