#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "runtime/dispatch/iteration_pool.hpp"
#include "runtime/dispatch/outstanding_chunks.hpp"

namespace loadshare {

/// A range that more than one worker computes: given again at the tail, or because its worker fell silent,
/// and perhaps cut anew. The first result of each iteration counts.
struct Contest {
  std::vector<Chunk> open;             ///< what nobody has returned yet; ascending
  std::vector<std::uint32_t> holders;  ///< slots of those who have a part of it
  std::uint8_t failures = 0;           ///< workers that failed on it: it is not copied any more then
  bool is_queued = false;              ///< waits to be copied again
  bool is_free = false;                ///< its number may be used again

  /// How many of the open iterations lie in `chunk`.
  Index open_in(Chunk chunk) const;
};

/// The contests of a loop, by small numbers that are used again, and what is to be copied next.
class Contests {
 public:
  static constexpr std::uint32_t none = OpenRange::none;

  Contest& operator[](std::uint32_t number) { return contests_[number]; }
  const Contest& operator[](std::uint32_t number) const { return contests_[number]; }

  /// The contest about the chunk in this slot; a new one where only its worker had it.
  std::uint32_t about(std::uint32_t slot, OutstandingChunks& chunks);
  /// One more worker has a part of it.
  void enter(std::uint32_t number, std::uint32_t slot) { contests_[number].holders.push_back(slot); }
  /// The slot's worker has its part no more.
  void leave(std::uint32_t number, std::uint32_t slot);
  /// Takes what is open of `chunk`: these parts have been returned first, or left out. Ascending.
  std::vector<Chunk> close(std::uint32_t number, Chunk chunk);
  /// What of it nobody has returned, nobody has that can be relied on, and the pool has not.
  std::vector<Chunk> uncovered(std::uint32_t number, const OutstandingChunks& chunks,
                               const IterationPool& pool) const;

  /// It may be copied again, after those that wait for that already.
  void queue(std::uint32_t number);
  /// Of the least copied the oldest; nothing where all have copies enough, or may not be copied. What no
  /// contest is about becomes one.
  std::optional<OpenRange> next_to_copy(OutstandingChunks& chunks,
                                        const std::function<bool(Chunk)>& may_be_copied);

 private:
  void release_if_over(std::uint32_t number);

  std::vector<Contest> contests_;
  std::vector<std::uint32_t> free_;
  std::deque<std::uint32_t> to_copy_;  // the oldest first
};

}  // namespace loadshare
