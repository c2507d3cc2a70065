#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace loadshare::predictor {

/// Something that happens at a worker's message or chunk.
struct Event {
  enum class Kind : std::uint16_t {
    order_at_port,
    order_here,
    report_at_port,
    report_at_master,
    own_chunk_done,
    shared_sent,
    shared_input_here
  };
  double at_s = 0;
  std::uint32_t worker = 0;
  Kind kind = Kind::report_at_port;
  std::uint16_t slot = 0;  ///< of the worker's chunks

  /// Of two at the same time, the lower worker's.
  friend bool operator<(const Event& a, const Event& b) {
    return a.at_s < b.at_s || (a.at_s == b.at_s && a.worker < b.worker);
  }
};

/// The events to come, the earliest first: a heap of four children a node, which for some thousand workers is
/// half as deep as one of two, and whose siblings lie in one cache line.
class EventQueue {
 public:
  bool is_empty() const { return heap_.empty(); }
  const Event& next() const { return heap_.front(); }
  std::size_t size() const { return heap_.size(); }
  void reserve(std::size_t events) { heap_.reserve(events); }

  void push(const Event& event) {
    heap_.push_back(event);
    rise(heap_.size() - 1, event);
  }
  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(0, last);
    return first;
  }

 private:
  void rise(std::size_t place, const Event& event) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / 4;
      if (!(event < heap_[parent])) break;
      heap_[place] = heap_[parent];
      place = parent;
    }
    heap_[place] = event;
  }
  void sink(std::size_t place, const Event& event) {
    for (std::size_t child = 4 * place + 1; child < heap_.size(); child = 4 * place + 1) {
      const std::size_t end = std::min(child + 4, heap_.size());
      std::size_t least = child;
      for (std::size_t i = child + 1; i < end; ++i)
        if (heap_[i] < heap_[least]) least = i;
      if (!(heap_[least] < event)) break;
      heap_[place] = heap_[least];
      place = least;
    }
    heap_[place] = event;
  }

  std::vector<Event> heap_;
};

}  // namespace loadshare::predictor
