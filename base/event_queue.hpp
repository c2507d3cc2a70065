#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace loadshare {

/// A queue of future events that returns the earliest first. If two have the same time, the one of the lower
/// rank comes first. An Event has `double at_s` >= 0 and `std::uint64_t rank() const`, and `static Event
/// of(double at_s, std::uint64_t rank)` restores it from these two.
///
/// The queue is a heap with four children per node. Siblings share a cache line, and the heap is half as deep
/// as a binary one. Time and rank are stored as one integer: the bits of a non-negative time grow with the
/// time, so the minimum of four needs no branches that the processor could mispredict. pop() leaves a hole at
/// the root. Most events cause one more, which fills the hole, so only one of the two moves through the heap.
template <typename Event>
class EventQueue {
 public:
  EventQueue() : heap_(children, never) {}

  bool is_empty() const { return size() == 0; }
  std::size_t size() const { return events_ - (has_hole_ ? 1 : 0); }
  void reserve(std::size_t events) { heap_.reserve(events + children); }

  /// Returns the time of the next event, or infinity if there is none.
  double next_s() const { return time_of(least()); }
  /// Whether this event precedes all events in the queue.
  bool is_next(const Event& event) const { return key_of(event) < least(); }

  void push(const Event& event) {
    if (has_hole_) {
      has_hole_ = false;
      return sink(key_of(event));
    }
    heap_.push_back(never);
    rise(events_++, key_of(event));
  }
  /// Removes and returns the next event. The queue must not be empty.
  Event pop() {
    if (has_hole_) fill();
    has_hole_ = true;
    return event_of(heap_.front());
  }

 private:
  __extension__ using Key = unsigned __int128;  // time, then rank
  static constexpr std::size_t children = 4;
  // At infinity, after every event.
  static constexpr Key never = Key{0x7ff0'0000'0000'0000} << 64 | ~std::uint64_t{0};

  static Key key_of(const Event& event) {
    return Key{std::bit_cast<std::uint64_t>(event.at_s)} << 64 | event.rank();
  }
  static double time_of(Key key) { return std::bit_cast<double>(static_cast<std::uint64_t>(key >> 64)); }
  static Event event_of(Key key) { return Event::of(time_of(key), static_cast<std::uint64_t>(key)); }

  Key least() const { return has_hole_ ? heap_[least_child(0)] : heap_.front(); }
  // The last event is followed by `children` entries of `never`, so that every child exists.
  std::size_t least_child(std::size_t place) const {
    const std::size_t first = children * place + 1;
    if (first >= events_) return events_;
    const std::size_t a = first + (heap_[first + 1] < heap_[first]);
    const std::size_t b = first + 2 + (heap_[first + 3] < heap_[first + 2]);
    return heap_[b] < heap_[a] ? b : a;
  }
  void fill() {
    has_hole_ = false;
    const Key last = heap_[--events_];
    heap_[events_] = never;
    heap_.pop_back();
    if (events_ > 0) sink(last);
  }
  void rise(std::size_t place, Key key) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / children;
      if (key >= heap_[parent]) break;
      heap_[place] = heap_[parent];
      place = parent;
    }
    heap_[place] = key;
  }
  void sink(Key key) {
    std::size_t place = 0;
    for (std::size_t child = least_child(0); heap_[child] < key; child = least_child(place)) {
      heap_[place] = heap_[child];
      place = child;
    }
    heap_[place] = key;
  }

  std::vector<Key> heap_;
  std::size_t events_ = 0;  // includes the hole
  bool has_hole_ = false;   // at the root
};

}  // namespace loadshare
