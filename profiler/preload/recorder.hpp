#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "profiler/format.hpp"
#include "profiler/preload/groups.hpp"
#include "profiler/preload/processor_time.hpp"
#include "profiler/preload/request_table.hpp"
#include "profiler/preload/section.hpp"
#include "profiler/preload/ticks.hpp"

namespace loadshare::profile {

/// The places that calls are made from. Numbers return addresses in the order in which they are first seen.
/// Writes a readable text of each into the rank's slot, and the path of the file that contains it. Beyond its
/// capacity a place is 0, unknown.
class Places final {
 public:
  void write_to(Slot& slot) { slot_ = &slot; }

  std::uint32_t number_of(const void* address) {
    const Entry& entry = entries_[first_try(address)];
    return entry.address == address ? entry.number : find_or_add(address);
  }

 private:
  struct Entry {
    const void* address = nullptr;
    std::uint32_t number = 0;
  };
  static constexpr std::size_t capacity = 4096;  // a power of 2

  static std::size_t first_try(const void* address) {
    return (reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15U) >> 52;
  }
  std::uint32_t find_or_add(const void* address);
  std::uint32_t add_text(const void* address);
  void add_module(const char* path);

  Slot* slot_ = nullptr;
  std::size_t used_ = 0;
  std::size_t text_end_ = 0;
  std::size_t modules_end_ = 0;
  std::array<Entry, capacity> entries_{};
};

/// An MPI call that is being made.
struct Call {
  CallId id;
  const char* name;
  const void* place;              ///< return address in the program
  std::uint64_t begin_ticks = 0;  ///< when the thread entered it
};

/// The state of a thread as the recorder sees it.
enum class ThreadState : std::uint8_t {
  not_recorded,  ///< no profile is taken, or another thread called MPI_Init
  outside,       ///< recorded, and in the program
  inside,        ///< recorded, and in MPI: calls that MPI itself makes are not recorded
};

/// Records the calls of one thread. The sums and the latest events are in the rank's slot; a full tail of
/// events is appended to the file as a block. The sequence of a call is
/// 1. enter(), set_open_call();
/// 2. MPI's own function;
/// 3. leave(), and part() for each part.
class Recorder final {
 public:
  /// Begins after MPI_Init. The section is open; `before` is an earlier reading of the clocks.
  void begin(const ClockPair& before, std::uint64_t limit_bytes);
  /// Ends the recording, at the start of MPI_Finalize.
  void finish();
  /// Ends the recording, at the start of MPI_Abort.
  void abort();
  /// Records that the process ends now, by this signal (0: by itself). For signal handlers, in any thread.
  void record_end(int signal);
  /// Writes a heartbeat. For one thread that does so periodically.
  void write_heartbeat();

  /// Accounts the time since the last call. Returns the call's start.
  std::uint64_t enter();
  /// Stores the call in the slot, so that the profile names it if the process is killed within it.
  void set_open_call(const Call& call, const Message& message);
  /// Records a call that has ended. `repeats`: number of unsuccessful attempts.
  void leave(const Call& call, const Message& message, std::uint32_t request = 0, std::uint32_t repeats = 0);
  /// Records an unsuccessful test. Consecutive ones are one event.
  void leave_unsuccessful(const Call& call, const Message& message);
  /// Records a further request that the last call started, as an event without duration.
  void again(CallId call, const Message& message, std::uint32_t request);
  /// Records that the last call marked by this level whether the time after it counts.
  void mark(std::int32_t level);
  /// Records a part of the last call.
  void part(Part part, const Message& message, std::uint32_t request);

  std::uint32_t next_request() { return ++last_request_; }

  Section section;
  Groups groups;
  RequestTable requests;

 private:
  struct CallEnd {
    std::uint64_t ticks = 0;
    std::int64_t stolen_ns = 0;  ///< within the call; 0 if the call was short
  };

  void fill(Heartbeat& heartbeat, int signal) const;
  void keep(const StoredEvent& event);   ///< counts the event as dropped if there is no room
  bool store(const StoredEvent& event);  ///< returns false if there is no room
  void keep_with(const Message& message, std::uint32_t request, StoredEvent event);
  void write_tail();
  CallEnd account_call(std::uint64_t begin_ticks);
  void add_gap(std::uint64_t now);
  void add_call(std::uint64_t begin_ticks, std::uint64_t now);
  void add_reading(std::uint64_t now);
  void count_as_inside(std::uint64_t gap);
  void account_gap();
  std::int64_t account_stretch(const Progress& progress, std::uint64_t last_outside,
                               std::uint64_t last_inside);
  std::int64_t ns(std::uint64_t ticks) const;

  Places places_;
  ProcessorTime processor_time_;
  Slot* slot_ = nullptr;
  std::uint32_t events_ = 0;  ///< in the tail
  std::uint32_t block_ = 0;   ///< number of the block that the tail becomes
  std::uint32_t last_request_ = 0;
  std::uint32_t most_in_tail_ = tail_events;
  bool is_full_ = false;
  std::uint64_t outside_since_ = 0;
  std::uint64_t read_at_ = 0;       ///< when the processor time was last read
  std::uint64_t outside_then_ = 0;  ///< the sums at that reading
  std::uint64_t inside_then_ = 0;
  std::uint64_t long_piece_ = 0;
  std::uint64_t oldest_ = 0;
  std::uint64_t short_gap_ = 0;
  double ticks_per_ns_ = 1;
  std::uint32_t heartbeats_ = 0;
  StoredEvent last_call_{};  ///< the call that further parts belong to
};

/// The process's only recorder. It is never destroyed, because programs call MPI in their last destructors.
extern constinit Recorder* the_recorder;
extern constinit std::atomic<bool> is_recording;
extern constinit thread_local ThreadState thread_state [[gnu::tls_model("initial-exec")]];

/// The caller of a Fortran interface, which the return address does not show.
extern constinit thread_local const void* fortran_place [[gnu::tls_model("initial-exec")]];

/// Counts an unrecorded call of another thread.
inline void count_unrecorded() {
  if (thread_state == ThreadState::not_recorded && is_recording.load(std::memory_order_relaxed))
    ++the_recorder->section.slot().calls_of_other_threads;
}

/// Precedes a call that creates a communicator, a window or a file. The other ranks count creations of
/// unrecorded threads too, so derived ids would no longer match.
inline void note_unrecorded_creation() {
  if (thread_state == ThreadState::not_recorded && is_recording.load(std::memory_order_relaxed))
    the_recorder->groups.stop_deriving();
}

}  // namespace loadshare::profile
