#include "profiler/preload/recorder.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace loadshare::profile {
namespace {

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

using Path = std::unique_ptr<char, decltype(&std::free)>;

/// Returns the path of the file that contains an address. For the program it does not use the name by which
/// it was started, which may denote another file by now.
Path path_of(const Dl_info& info, const link_map& map) {
  const bool is_program = *map.l_name == 0;
  return {realpath(is_program ? "/proc/self/exe" : info.dli_fname, nullptr), &std::free};
}

/// Writes a text that addr2line can resolve: "solve()+0x12 at prog+0x1234", with the symbol if the module has
/// one. The address is that of the call's last byte, because the return address may belong to the next line.
/// Returns the module's path.
Path describe(const void* return_address, char* text, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(address), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0 ||
      info.dli_fname == nullptr || map == nullptr) {
    std::snprintf(text, size, "%p", return_address);
    return {nullptr, &std::free};
  }
  Path path = path_of(info, *map);
  const char* module = base_name(path ? path.get() : info.dli_fname);
  // The address as linked, whether the module has a base address or not.
  const std::size_t in_module = address - map->l_addr;
  if (info.dli_sname == nullptr) {
    std::snprintf(text, size, "%s+0x%zx", module, in_module);
    return path;
  }
  int status = 0;
  char* plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  const std::size_t in_function = address - reinterpret_cast<std::uintptr_t>(info.dli_saddr);
  std::snprintf(text, size, "%s+0x%zx at %s+0x%zx", plain ? plain : info.dli_sname, in_function, module,
                in_module);
  std::free(plain);
  return path;
}

/// Appends a text. Returns false if there is no room.
template <std::size_t Size>
bool append(std::array<char, Size>& texts, std::size_t& end, const char* text) {
  const std::size_t bytes = std::strlen(text) + 1;
  if (end + bytes > Size) return false;
  std::memcpy(texts.data() + end, text, bytes);
  end += bytes;
  return true;
}

/// A gap or a call at least this long may contain a loss of the processor: the processor time is read after
/// it.
constexpr std::int64_t long_piece_ns = 500'000;
constexpr std::int64_t oldest_ns = 1'000'000;  // longest age of a reading of the processor time
/// The longest gap between two unsuccessful tests that counts as waiting, because the program does no work of
/// its own in it.
constexpr std::int64_t short_gap_ns = 5'000;

}  // namespace

std::uint32_t Places::find_or_add(const void* address) {
  std::size_t i = first_try(address);
  for (; entries_[i].address != nullptr; i = (i + 1) % capacity)
    if (entries_[i].address == address) return entries_[i].number;
  if (used_ >= capacity / 2) return 0;  // keeps empty entries, which end a search
  ++used_;
  entries_[i] = {address, add_text(address)};
  return entries_[i].number;
}

std::uint32_t Places::add_text(const void* address) {
  std::array<char, 256> text{};
  const Path module = describe(address, text.data(), text.size());
  if (!append(slot_->place_text, text_end_, text.data())) return 0;
  if (module) add_module(module.get());
  return ++slot_->places;
}

void Places::add_module(const char* path) {
  const char* known = slot_->module_text.data();
  for (std::uint32_t i = 0; i < slot_->modules; ++i, known += std::strlen(known) + 1)
    if (std::strcmp(known, path) == 0) return;
  if (append(slot_->module_text, modules_end_, path)) ++slot_->modules;
}

constinit Recorder* the_recorder = nullptr;
constinit std::atomic<bool> is_recording = false;
constinit thread_local ThreadState thread_state = ThreadState::not_recorded;
constinit thread_local const void* fortran_place = nullptr;

void Recorder::begin(const ClockPair& before, std::uint64_t limit_bytes) {
  slot_ = &section.slot();
  places_.write_to(*slot_);
  processor_time_.open();
  section.allow(limit_bytes);
  most_in_tail_ =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(tail_events, limit_bytes / sizeof(StoredEvent)));
  is_full_ = most_in_tail_ == 0;
  slot_->first_clock = before;
  slot_->last_clock = Ticks::pair();
  ticks_per_ns_ = ticks_per_ns(slot_->first_clock, slot_->last_clock);
  const auto ticks = [&](std::int64_t ns) {
    return static_cast<std::uint64_t>(static_cast<double>(ns) * ticks_per_ns_);
  };
  long_piece_ = ticks(long_piece_ns);
  oldest_ = ticks(oldest_ns);
  short_gap_ = ticks(short_gap_ns);
  groups.begin(section);
  processor_time_.read();
  slot_->is_stolen_known = processor_time_.is_stolen_known();
  outside_since_ = read_at_ = slot_->begin_ticks = slot_->end_ticks = Ticks::now();
  if (is_full_) slot_->events_end_ticks = slot_->begin_ticks;
  slot_->run_id = section.header().run_id;
}

/// Accounts the time after the last call. The wait for other ranks in MPI_Finalize begins here.
void Recorder::finish() {
  account_gap();
  slot_->other_threads_cpu_ns = processor_time_.other_threads_cpu_ns();
  slot_->has_finalized = 1;
}

void Recorder::abort() {
  account_gap();
  slot_->has_aborted = 1;
  record_end(0);
}

/// Keeps the first record if there are several.
void Recorder::record_end(int signal) {
  if (slot_->final_heartbeat.clock.ticks == 0) fill(slot_->final_heartbeat, signal);
}

void Recorder::write_heartbeat() {
  fill(slot_->heartbeats[++heartbeats_ % 2], 0);
}

/// Stores the ticks last, because a heartbeat without them is invalid.
void Recorder::fill(Heartbeat& heartbeat, int signal) const {
  const std::atomic_ref ticks(heartbeat.clock.ticks);
  ticks.store(0, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const std::optional<Progress> progress = processor_time_.peek();
  heartbeat.ran_ns = progress ? progress->ran_ns : Heartbeat::not_recorded;
  heartbeat.waited_ns = progress ? progress->waited_ns : Heartbeat::not_recorded;
  heartbeat.other_threads_cpu_ns = processor_time_.other_threads_cpu_ns();
  heartbeat.signal = signal;
  const ClockPair now = Ticks::pair();
  heartbeat.clock.monotonic_ns = now.monotonic_ns;
  ticks.store(now.ticks, std::memory_order_release);
}

std::uint64_t Recorder::enter() {
  const std::uint64_t now = Ticks::now();
  if (now - outside_since_ >= long_piece_ || now - read_at_ >= oldest_)
    account_gap();
  else
    add_gap(now);
  return outside_since_;
}

/// Stores the begin last: from then on the call counts as open.
void Recorder::set_open_call(const Call& call, const Message& message) {
  StoredEvent& open = slot_->open;
  open.bytes = message.bytes;
  open.peer = message.peer;
  open.tag = message.tag;
  open.communicator = message.communicator;
  open.is_in_place = message.is_in_place;
  open.place = places_.number_of(call.place);
  open.call = static_cast<std::uint16_t>(call.id);
  std::atomic_ref(open.begin_ticks).store(call.begin_ticks, std::memory_order_release);
}

/// Reads the processor time after a long call. If the thread loses the processor during the reading, it would
/// have lost it anyway. After a long piece that loss belongs to the piece, otherwise to all of the stretch.
Recorder::CallEnd Recorder::account_call(std::uint64_t begin_ticks) {
  std::uint64_t now = Ticks::now();
  if (now - begin_ticks >= long_piece_) {
    const Progress progress = processor_time_.read();
    now = Ticks::now();
    add_call(begin_ticks, now);
    return {now, account_stretch(progress, 0, now - begin_ticks)};
  }
  add_call(begin_ticks, now);
  if (now - read_at_ >= oldest_) account_gap();
  return {now};
}

/// Accounts the gap before the call begins, so that it is recorded even if the process is killed in the call.
void Recorder::add_gap(std::uint64_t now) {
  slot_->outside_ticks += now - outside_since_;
  slot_->end_ticks = outside_since_ = now;
}

void Recorder::add_call(std::uint64_t begin_ticks, std::uint64_t now) {
  slot_->inside_ticks += now - begin_ticks;
  slot_->end_ticks = outside_since_ = now;
}

void Recorder::count_as_inside(std::uint64_t gap) {
  slot_->outside_ticks -= gap;
  slot_->inside_ticks += gap;
}

void Recorder::account_gap() {
  const std::uint64_t begin = outside_since_;
  add_gap(Ticks::now());
  const bool is_long = outside_since_ - begin >= long_piece_;
  const Progress progress = processor_time_.read();
  const std::uint64_t now = Ticks::now();
  is_long ? add_gap(now) : add_reading(now);
  account_stretch(progress, is_long ? now - begin : 0, 0);
}

/// Distributes the time of a reading between inside and outside in the same ratio as the stretch before it.
void Recorder::add_reading(std::uint64_t now) {
  const auto inside = static_cast<double>(ns(slot_->inside_ticks - inside_then_));
  const auto outside = static_cast<double>(ns(slot_->outside_ticks - outside_then_));
  const std::uint64_t all = now - outside_since_;
  const double share = inside + outside > 0 ? inside / (inside + outside) : 0;
  const auto part = static_cast<std::uint64_t>(share * static_cast<double>(all));
  slot_->inside_ticks += part;
  slot_->outside_ticks += all - part;
  slot_->end_ticks = outside_since_ = now;
}

/// Ends the stretch at `end_ticks`. Returns the stolen time of its last piece inside.
std::int64_t Recorder::account_stretch(const Progress& progress, std::uint64_t last_outside,
                                       std::uint64_t last_inside) {
  std::int64_t stolen_ns = 0;
  const Stretch stretch{ns(slot_->outside_ticks - outside_then_), ns(slot_->inside_ticks - inside_then_),
                        ns(last_outside), ns(last_inside)};
  slot_->is_stolen_known = processor_time_.is_stolen_known();
  if (processor_time_.is_stolen_known()) {
    const Lost lost = losses_of(stretch, progress);
    slot_->stolen_ns += lost.stolen_outside_ns;
    slot_->stolen_inside_ns += lost.stolen_inside_ns;
    slot_->blocked_ns += lost.blocked_ns;
    stolen_ns = lost.stolen_in_last_ns;
  }
  slot_->last_clock = Ticks::pair();
  read_at_ = slot_->end_ticks;
  outside_then_ = slot_->outside_ticks;
  inside_then_ = slot_->inside_ticks;
  return stolen_ns;
}

/// Converts ticks to nanoseconds. Negative values become 0: they arise if a gap is assigned to a test after
/// it was accounted.
std::int64_t Recorder::ns(std::uint64_t ticks) const {
  const auto some = static_cast<std::int64_t>(ticks);
  return some > 0 ? static_cast<std::int64_t>(static_cast<double>(some) / ticks_per_ns_) : 0;
}

void Recorder::leave(const Call& call, const Message& message, std::uint32_t request, std::uint32_t repeats) {
  const auto [now, stolen_ns] = account_call(call.begin_ticks);
  last_call_ = {.begin_ticks = call.begin_ticks,
                .end_ticks = now,
                .inside_ticks = now - call.begin_ticks,
                .bytes = message.bytes,
                .peer = message.peer,
                .tag = message.tag,
                .request = request,
                .repeats = repeats,
                .communicator = message.communicator,
                .place = places_.number_of(call.place),
                .call = static_cast<std::uint16_t>(call.id),
                .part = static_cast<std::uint8_t>(Part::call),
                .is_in_place = message.is_in_place};
  keep(last_call_);
  if (stolen_ns > 0)  // belongs to the call and does not count as an event
    store(std::bit_cast<StoredEvent>(
        StoredStolenTime{.stolen_ns = stolen_ns, .unused = {}, .more_unused = {}, .yet_more_unused = 0}));
}

void Recorder::mark(std::int32_t level) {
  account_gap();
  keep(std::bit_cast<StoredEvent>(StoredSums{.end_ticks = slot_->end_ticks,
                                             .inside_ticks = slot_->inside_ticks,
                                             .stolen_ns = slot_->stolen_ns,
                                             .stolen_inside_ns = slot_->stolen_inside_ns,
                                             .blocked_ns = slot_->blocked_ns,
                                             .unused = {},
                                             .level = level,
                                             .call = last_call_.call,
                                             .more_unused = 0}));
}

void Recorder::leave_unsuccessful(const Call& call, const Message& message) {
  if (events_ > 0 && !is_full_) {
    StoredEvent& last = slot_->tail[events_ - 1];
    if (last.repeats > 0 && last.call == static_cast<std::uint16_t>(call.id) &&
        last.place == places_.number_of(call.place)) {
      const std::uint64_t gap = call.begin_ticks - last.end_ticks;
      const std::uint64_t waiting = gap < short_gap_ ? gap : 0;
      count_as_inside(waiting);
      last.end_ticks = account_call(call.begin_ticks).ticks;
      last.inside_ticks += waiting + last.end_ticks - call.begin_ticks;
      ++last.repeats;
      return;
    }
  }
  leave(call, message, 0, 1);
}

void Recorder::part(Part part, const Message& message, std::uint32_t request) {
  StoredEvent event = last_call_;
  event.part = static_cast<std::uint8_t>(part);
  keep_with(message, request, event);
}

void Recorder::again(CallId call, const Message& message, std::uint32_t request) {
  StoredEvent event = last_call_;
  event.call = static_cast<std::uint16_t>(call);
  event.begin_ticks = event.end_ticks;
  event.inside_ticks = 0;
  keep_with(message, request, event);
}

void Recorder::keep_with(const Message& message, std::uint32_t request, StoredEvent event) {
  event.bytes = message.bytes;
  event.peer = message.peer;
  event.tag = message.tag;
  event.communicator = message.communicator;
  event.is_in_place = message.is_in_place;
  event.request = request;
  keep(event);
}

void Recorder::keep(const StoredEvent& event) {
  if (!store(event)) ++slot_->events_dropped;
}

bool Recorder::store(const StoredEvent& event) {
  if (!is_full_ && events_ == most_in_tail_) write_tail();
  if (is_full_) return false;
  slot_->tail[events_] = event;
  slot_->tail_state.store({block_, ++events_}, std::memory_order_release);
  return true;
}

/// Writes the tail as a block. Beyond the limit the tail stays in the slot and is part of the profile. Once
/// an event does not fit, all later ones are dropped, so that the kept events have no gap.
void Recorder::write_tail() {
  const std::uint64_t bytes = events_ * sizeof(StoredEvent);
  const BlockHeader header{.magic = block_magic,
                           .run_id = slot_->run_id,
                           .kind = BlockKind::events,
                           .rank = slot_->rank,
                           .number = block_,
                           .count = events_,
                           .content_bytes = bytes,
                           .communicator = 0,
                           .unused = {}};
  if (section.bytes_left() < block_unit + 2 * bytes || !section.append(header, slot_->tail.data())) {
    is_full_ = true;
    slot_->events_end_ticks = last_call_.begin_ticks;
    return;
  }
  events_ = 0;
  slot_->tail_state.store({++block_, 0}, std::memory_order_release);
}

}  // namespace loadshare::profile
