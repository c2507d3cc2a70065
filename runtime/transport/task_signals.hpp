#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/types.hpp"
#include "runtime/transport/policies.hpp"

namespace loadshare {

/// What the master says to a worker of a chunk that it has.
enum class Recall : std::uint32_t {
  none,
  not_begun,  ///< hand it back if it is not begun
  unwanted,   ///< nobody waits for its result: stop computing it, or hand it back
};

/// What the two ends of a channel say of one chunk while a worker has it, beside the rings, whose room is for
/// chunks. Made without a channel it says nothing and hears nothing.
class TaskSignals {
 public:
  TaskSignals() = default;
  /// Of the chunk whose order was the channel's `turn`-th; `recall` is a word of its own, `progress` one for
  /// all of them, `hearer` the Alertness of who hears the reports.
  TaskSignals(const std::atomic<std::uint32_t>& recall, std::atomic<std::uint64_t>& progress,
              const std::atomic<std::uint32_t>& hearer, std::uint32_t turn)
      : recall_(&recall), progress_(&progress), hearer_(&hearer), tag_(tag_of(turn)) {}

  bool is_recalled() const { return recall() != Recall::none; }
  bool is_unwanted() const { return recall() == Recall::unwanted; }
  /// So many of its iterations are done, at most 2^40. Lets who was woken by a report, and waits for a core,
  /// have this one: the kernel would let it wait for some milliseconds.
  void progressed(Index done) const {
    if (progress_ == nullptr) return;
    progress_->store(tag_ | (static_cast<std::uint64_t>(done) & done_mask), std::memory_order_relaxed);
    if (hearer_->load(std::memory_order_relaxed) == Alertness::waking) sched_yield();
  }
  /// What the worker said last of the chunk whose order was the `turn`-th; nothing: nothing of that one.
  static std::optional<Index> progress_of(const std::atomic<std::uint64_t>& progress, std::uint32_t turn) {
    const std::uint64_t said = progress.load(std::memory_order_relaxed);
    if ((said & ~done_mask) != tag_of(turn)) return std::nullopt;
    return static_cast<Index>(said & done_mask);
  }

 private:
  static constexpr int done_bits = 41;
  static constexpr std::uint64_t done_mask = (std::uint64_t{1} << done_bits) - 1;
  // Fresh memory says 0, which is nobody's tag.
  static std::uint64_t tag_of(std::uint32_t turn) { return (std::uint64_t{turn} << 1 | 1) << done_bits; }
  Recall recall() const {
    return recall_ == nullptr ? Recall::none : static_cast<Recall>(recall_->load(std::memory_order_relaxed));
  }

  const std::atomic<std::uint32_t>* recall_ = nullptr;
  std::atomic<std::uint64_t>* progress_ = nullptr;
  const std::atomic<std::uint32_t>* hearer_ = nullptr;
  std::uint64_t tag_ = 0;
};

}  // namespace loadshare
