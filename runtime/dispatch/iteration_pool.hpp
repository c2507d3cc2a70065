#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace loadshare {

/// What both have; empty where that is nothing.
constexpr Chunk intersection(Chunk a, Chunk b) {
  const Index first = std::max(a.first, b.first), end = std::min(a.end(), b.end());
  return first < end ? Chunk{first, end - first} : Chunk{first, 0};
}

/// What of `a` lies outside of `b`: none, one or two ranges.
std::vector<Chunk> difference(Chunk a, Chunk b);

/// A range of iterations that nobody has, and its past.
struct OpenRange {
  static constexpr std::uint32_t none = UINT32_MAX;

  Chunk chunk;
  std::uint32_t contest = none;                      ///< somebody silent may still return it (see Contests)
  std::uint8_t losses = 0;                           ///< processes lost with an iteration: it runs last
  double rests_until_s = 0;                          ///< no worker gets it before
  bool is_withheld = false;                          ///< no worker gets it, until it is cleared
  std::uint8_t failures = 0;                         ///< workers that failed on it
  std::optional<WorkerId> failed_on = std::nullopt;  ///< the last of these: better not to the same
};

/// The iterations nobody has: those never given away, and the ranges that came back.
class IterationPool {
 public:
  explicit IterationPool(std::vector<Chunk> fresh) : fresh_(std::move(fresh)) {
    std::erase_if(fresh_, [](Chunk range) { return range.size == 0; });
    for (const Chunk range : fresh_) remaining_ += range.size;
  }

  Index remaining() const { return remaining_; }

  /// Which iterations are given next.
  enum class Part { fresh, returned, none };
  /// The part for `worker`. A range that came back goes first, because it has waited longest, but not to the
  /// worker that failed on it, unless `is_alone`. Ranges with which a process was lost are left out. Brings
  /// the range to the front.
  Part part_for(WorkerId worker, bool is_alone) {
    if (unsuspected_ == 0) return front_ < fresh_.size() ? Part::fresh : Part::none;
    return part_returned_for(worker, is_alone);
  }
  /// The same among the ranges with which processes were lost, those with the fewest losses first.
  Part suspect_for(WorkerId worker, bool is_alone, double now_s);
  /// When the next of these ranges has rested, if any has not rested by `after_s`.
  std::optional<double> next_rested_s(double after_s) const;
  /// The range that part_for or suspect_for brought to the front.
  const OpenRange& front_returned() const { return returned_.back(); }
  /// Where a cut from this part begins. The part must not be empty here and below.
  Index first(Part part) const {
    return part == Part::fresh ? fresh_[front_].first : returned_.back().chunk.first;
  }
  /// Cuts off up to `size` >= 1 iterations; fewer where the range is shorter.
  Chunk take_fresh(Index size) {
    Chunk& range = fresh_[front_];
    const Chunk cut{range.first, std::min(size, range.size)};
    range = {cut.end(), range.size - cut.size};
    remaining_ -= cut.size;
    front_ += range.size == 0 ? 1 : 0;
    return cut;
  }
  OpenRange take(Part part, Index size);
  /// The same from `first`, among the iterations never given away; nothing where it is not among them.
  std::optional<OpenRange> take_from(Index first, Index size);
  void give_back(const OpenRange& range) {
    if (range.chunk.size == 0) return;
    returned_.push_back(range);
    remaining_ += range.chunk.size;
    unsuspected_ += range.losses == 0 ? 1 : 0;
  }
  void open(Chunk range);
  /// Somebody returned these iterations after all: takes what the pool has of them, among those in this
  /// contest.
  void remove(Chunk chunk, std::uint32_t contest);
  /// Visits the ranges that came back; `visit` may change everything in them but the chunk.
  template <class Visit>
  void for_each_returned(Visit visit) {
    for (OpenRange& range : returned_) visit(range);
    count_unsuspected();
  }
  /// Visits the withheld ranges.
  template <class Visit>
  void for_each_withheld(Visit visit) const {
    for (const OpenRange& range : returned_)
      if (range.is_withheld) visit(range.chunk);
  }
  /// Takes the withheld range that equals this chunk; returns nothing if there is none.
  std::optional<OpenRange> take_withheld(Chunk chunk);
  /// What the pool has of a contest.
  template <class Visit>
  void for_each_in(std::uint32_t contest, Visit visit) const {
    for (const OpenRange& range : returned_)
      if (range.contest == contest) visit(range.chunk);
  }

 private:
  Part part_returned_for(WorkerId worker, bool is_alone);
  Part bring_to_front(std::vector<OpenRange>::iterator range);
  void count_unsuspected() { unsuspected_ = std::ranges::count(returned_, 0, &OpenRange::losses); }

  std::vector<Chunk> fresh_;  // none empty, from front_ on; given in this order
  std::size_t front_ = 0;
  std::vector<OpenRange> returned_;  // none empty; the last is given first
  std::ptrdiff_t unsuspected_ = 0;  // of these: suspected ones wait for long, and no chunk looks through them
  Index remaining_ = 0;
};

}  // namespace loadshare
