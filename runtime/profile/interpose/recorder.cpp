#include "runtime/profile/interpose/recorder.hpp"

#include <algorithm>

namespace loadshare::profile {

constinit Recorder* the_recorder = nullptr;
constinit std::atomic<bool> is_recording = false;
constinit thread_local Where where = Where::not_recorded;

void Recorder::begin(const ClockPair& before, std::uint64_t limit_bytes) {
  slot_ = &section.slot();
  places_.write_to(*slot_);
  processor_time_.open();
  bytes_left_ = limit_bytes;
  most_in_tail_ =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(tail_events, limit_bytes / sizeof(StoredEvent)));
  is_full_ = most_in_tail_ == 0;
  slot_->first_clock = before;
  slot_->last_clock = Ticks::pair();
  ticks_per_ns_ = ticks_per_ns(slot_->first_clock, slot_->last_clock);
  const auto ticks = [&](std::int64_t ns) {
    return static_cast<std::uint64_t>(static_cast<double>(ns) * ticks_per_ns_);
  };
  long_gap_ = ticks(ProcessorTime::long_gap_ns);
  oldest_ = ticks(ProcessorTime::oldest_ns);
  slot_->tells_stolen = processor_time_.tells_stolen();
  groups.begin(section);
  outside_since_ = read_at_ = slot_->begin_ticks = slot_->end_ticks = Ticks::now();
  slot_->run_id = section.header().run_id;
}

/// What a rank did after its last call belongs to the profile, and so does the wait for others in
/// MPI_Finalize, which begins here.
void Recorder::finish() {
  slot_->end_ticks = Ticks::now();
  account_gap(slot_->end_ticks);
  slot_->last_clock = Ticks::pair();
  slot_->has_finalized = 1;
}

std::uint64_t Recorder::enter() {
  const std::uint64_t now = Ticks::now();
  account_gap(now);
  return now;
}

void Recorder::account_gap(std::uint64_t now) {
  const std::uint64_t gap = now - outside_since_;
  slot_->outside_ticks += gap;
  if (gap < long_gap_) return;
  const Lost lost =
      processor_time_.lost_in(static_cast<std::int64_t>(static_cast<double>(gap) / ticks_per_ns_));
  slot_->stolen_ns += lost.stolen_ns;
  slot_->blocked_ns += lost.blocked_ns;
  slot_->tells_stolen = processor_time_.tells_stolen();
  read_at_ = now;
}

/// Returns when the call ended. The reading of the processor's time that may follow is outside no less than
/// the next gap, whose begin it is for.
std::uint64_t Recorder::account_call(CallId call, std::uint64_t begin_ticks) {
  const std::uint64_t now = Ticks::now();
  const std::uint64_t inside = now - begin_ticks;
  slot_->inside_ticks += inside;
  slot_->end_ticks = now;
  CallSum& sum = slot_->calls[static_cast<std::size_t>(call)];
  ++sum.count;
  sum.ticks += inside;
  outside_since_ = now;
  if (now - read_at_ > oldest_) {
    processor_time_.read();
    slot_->last_clock = Ticks::pair();
    read_at_ = now;
  }
  return now;
}

void Recorder::leave(CallId call, std::uint64_t begin_ticks, const Message& message, const void* place,
                     std::uint32_t request) {
  const std::uint64_t now = account_call(call, begin_ticks);
  last_call_ = {.begin_ticks = begin_ticks,
                .end_ticks = now,
                .inside_ticks = now - begin_ticks,
                .bytes = message.bytes,
                .peer = message.peer,
                .tag = message.tag,
                .request = request,
                .repeats = 0,
                .communicator = message.communicator,
                .place = places_.number_of(place),
                .call = static_cast<std::uint16_t>(call),
                .part = static_cast<std::uint8_t>(Part::call),
                .unused = 0,
                .also_unused = 0};
  if (StoredEvent* event = room()) {
    *event = last_call_;
    slot_->tail_state.store({block_, ++events_}, std::memory_order_release);
  }
}

void Recorder::leave_in_vain(CallId call, std::uint64_t begin_ticks, const Message& message,
                             const void* place) {
  if (events_ > 0) {
    StoredEvent& last = slot_->tail[events_ - 1];
    if (last.repeats > 0 && last.call == static_cast<std::uint16_t>(call) &&
        last.place == places_.number_of(place)) {
      last.end_ticks = account_call(call, begin_ticks);
      last.inside_ticks += last.end_ticks - begin_ticks;
      ++last.repeats;
      return;
    }
  }
  leave(call, begin_ticks, message, place);
  if (!is_full_) slot_->tail[events_ - 1].repeats = 1;
}

void Recorder::part(Part part, const Message& message, std::uint32_t request) {
  StoredEvent event = last_call_;
  event.part = static_cast<std::uint8_t>(part);
  tell(message, request, event);
}

void Recorder::again(CallId call, const Message& message, std::uint32_t request) {
  StoredEvent event = last_call_;
  event.call = static_cast<std::uint16_t>(call);
  event.begin_ticks = event.end_ticks;
  event.inside_ticks = 0;
  tell(message, request, event);
}

void Recorder::tell(const Message& message, std::uint32_t request, StoredEvent event) {
  event.bytes = message.bytes;
  event.peer = message.peer;
  event.tag = message.tag;
  event.communicator = message.communicator;
  event.request = request;
  StoredEvent* place = room();
  if (place == nullptr) return;
  *place = event;
  slot_->tail_state.store({block_, ++events_}, std::memory_order_release);
}

StoredEvent* Recorder::room() {
  if (is_full_) {
    ++slot_->events_dropped;
    return nullptr;
  }
  if (events_ == most_in_tail_) write_tail();
  return is_full_ ? room() : &slot_->tail[events_];
}

/// Beyond the limit the tail stays as it is, and is in the profile. From the first event that finds no room
/// none is kept, so that there is no gap among those that are.
void Recorder::write_tail() {
  const std::uint64_t bytes = events_ * sizeof(StoredEvent);
  const BlockHeader header{.magic = block_magic,
                           .run_id = slot_->run_id,
                           .kind = BlockKind::events,
                           .rank = slot_->rank,
                           .number = block_,
                           .count = events_,
                           .content_bytes = bytes,
                           .unused = {}};
  if (bytes_left_ < 2 * bytes || !section.append(header, slot_->tail.data())) {
    is_full_ = true;
    slot_->events_end_ticks = last_call_.begin_ticks;
    return;
  }
  bytes_left_ -= bytes;
  events_ = 0;
  slot_->tail_state.store({++block_, 0}, std::memory_order_release);
}

}  // namespace loadshare::profile
