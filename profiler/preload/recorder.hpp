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

/// Where calls are made from: return addresses, numbered as they are first seen, with a text for people in
/// the rank's slot, and where the files are that hold them. Beyond what there is room for a place is 0, not
/// known.
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

/// A call of MPI's.
struct Call {
  CallId id;
  const char* name;
  const void* place;              ///< in the program, which it was made from
  std::uint64_t begin_ticks = 0;  ///< since the thread is in it
};

/// Where this thread is, as far as the recorder cares.
enum class Where : std::uint8_t {
  not_recorded,  ///< no profile, or not the thread that called MPI_Init
  outside,       ///< recorded, in the program
  inside,        ///< recorded, in MPI: what MPI calls of itself is no call
};

/// Keeps what one thread does: sums and the latest events in the rank's slot, full tails in blocks behind.
/// A call is enter(), go_in(), MPI's own work, leave(), and then its parts.
class Recorder final {
 public:
  /// MPI_Init is over; the section is open, and `before` a reading of the clocks from some time ago.
  void begin(const ClockPair& before, std::uint64_t limit_bytes);
  /// MPI_Finalize begins.
  void finish();
  /// MPI_Abort begins.
  void abort();
  /// The process ends here and now, by this signal (0: by itself). For signal handlers, of any thread.
  void sign_off(int signal);
  /// It lives. For one thread that does so from time to time.
  void give_sign();

  std::uint64_t enter();
  /// So the profile of a process that is killed in the call names the call.
  void go_in(const Call& call, const Message& message);
  /// `repeats`: how often it was made in vain.
  void leave(const Call& call, const Message& message, std::uint32_t request = 0, std::uint32_t repeats = 0);
  /// A test in vain: one event with those before it, if nothing came between.
  void leave_in_vain(const Call& call, const Message& message);
  /// The call that was left last started one more: an event of its own, without duration.
  void again(CallId call, const Message& message, std::uint32_t request);
  /// The call that was left last said by this level whether what follows counts.
  void mark(std::int32_t level);
  /// Of the call that was left last.
  void part(Part part, const Message& message, std::uint32_t request);

  std::uint32_t next_request() { return ++last_request_; }

  Section section;
  Groups groups;
  RequestTable requests;

 private:
  struct CallEnd {
    std::uint64_t ticks = 0;
    std::int64_t stolen_ns = 0;  ///< within the call; told where it was long
  };

  void write_sign(LifeSign& sign, int signal) const;
  void keep(const StoredEvent& event);   ///< where there is no room it counts as dropped
  bool store(const StoredEvent& event);  ///< whether there was room
  void tell(const Message& message, std::uint32_t request, StoredEvent event);
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
  std::uint32_t block_ = 0;   ///< the tail will be
  std::uint32_t last_request_ = 0;
  std::uint32_t most_in_tail_ = tail_events;
  bool is_full_ = false;
  std::uint64_t outside_since_ = 0;
  std::uint64_t read_at_ = 0;  ///< the processor's time, with the sums as they were then:
  std::uint64_t outside_then_ = 0;
  std::uint64_t inside_then_ = 0;
  std::uint64_t long_piece_ = 0;
  std::uint64_t oldest_ = 0;
  std::uint64_t short_gap_ = 0;
  double ticks_per_ns_ = 1;
  std::uint32_t signs_ = 0;
  StoredEvent last_call_{};  ///< whose parts may follow
};

/// The process's one recorder, never destroyed: programs call MPI in their last destructors.
extern constinit Recorder* the_recorder;
extern constinit std::atomic<bool> is_recording;
extern constinit thread_local Where where [[gnu::tls_model("initial-exec")]];

/// Set by the Fortran interfaces, whose callers the return address does not show.
extern constinit thread_local const void* fortran_place [[gnu::tls_model("initial-exec")]];

/// A call that is not recorded: counted, if it is another thread's.
inline void pass_by() {
  if (where == Where::not_recorded && is_recording.load(std::memory_order_relaxed))
    ++the_recorder->section.slot().calls_of_other_threads;
}

/// Before a call that makes a communicator or a window: the other ranks count what another thread makes.
inline void making_elsewhere() {
  if (where == Where::not_recorded && is_recording.load(std::memory_order_relaxed))
    the_recorder->groups.stop_deriving();
}

}  // namespace loadshare::profile
