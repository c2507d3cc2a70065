#include "runtime/dispatch/iteration_pool.hpp"

namespace loadshare {

std::vector<Chunk> difference(Chunk a, Chunk b) {
  const Chunk common = intersection(a, b);
  if (common.size == 0) return a.size > 0 ? std::vector{a} : std::vector<Chunk>{};
  std::vector<Chunk> rest;
  if (a.first < common.first) rest.push_back({a.first, common.first - a.first});
  if (common.end() < a.end()) rest.push_back({common.end(), a.end() - common.end()});
  return rest;
}

OpenRange IterationPool::take(Part part, Index size) {
  if (part == Part::fresh) return {.chunk = take_fresh(size)};
  OpenRange& range = returned_.back();
  OpenRange cut = range;
  cut.chunk.size = std::min(size, range.chunk.size);
  range.chunk = {cut.chunk.end(), range.chunk.size - cut.chunk.size};
  remaining_ -= cut.chunk.size;
  if (range.chunk.size > 0) return cut;
  unsuspected_ -= range.losses == 0 ? 1 : 0;
  returned_.pop_back();
  return cut;
}

std::optional<OpenRange> IterationPool::take_from(Index first, Index size) {
  const auto range = std::find_if(fresh_.begin() + static_cast<std::ptrdiff_t>(front_), fresh_.end(),
                                  [first](Chunk one) { return one.first <= first && first < one.end(); });
  if (range == fresh_.end()) return std::nullopt;
  const Chunk cut{first, std::min(size, range->end() - first)};
  const Chunk before{range->first, first - range->first}, behind{cut.end(), range->end() - cut.end()};
  *range = behind;
  if (behind.size == 0 && before.size == 0) {
    fresh_.erase(range);
  } else if (behind.size == 0) {
    *range = before;
  } else if (before.size > 0) {
    fresh_.insert(range, before);
  }
  remaining_ -= cut.size;
  return OpenRange{.chunk = cut};
}

IterationPool::Part IterationPool::part_returned_for(WorkerId worker, bool is_alone) {
  const auto suits = [&](const OpenRange& range) {
    return range.losses == 0 && (is_alone || range.failed_on != worker);
  };
  const auto found = std::find_if(returned_.rbegin(), returned_.rend(), suits);
  if (found == returned_.rend()) return front_ < fresh_.size() ? Part::fresh : Part::none;
  return bring_to_front(found.base() - 1);
}

IterationPool::Part IterationPool::suspect_for(WorkerId worker, bool is_alone, double now_s) {
  auto best = returned_.end();
  for (auto range = returned_.begin(); range != returned_.end(); ++range) {
    const bool suits = range->losses > 0 && !range->is_withheld && range->rests_until_s <= now_s &&
                       (is_alone || range->failed_on != worker);
    if (suits && (best == returned_.end() || range->losses <= best->losses)) best = range;
  }
  return best == returned_.end() ? Part::none : bring_to_front(best);
}

std::optional<double> IterationPool::next_rested_s(double after_s) const {
  std::optional<double> next_s;
  for (const OpenRange& range : returned_)
    if (!range.is_withheld && range.rests_until_s > after_s)
      next_s = std::min(next_s.value_or(range.rests_until_s), range.rests_until_s);
  return next_s;
}

IterationPool::Part IterationPool::bring_to_front(std::vector<OpenRange>::iterator range) {
  std::rotate(range, range + 1, returned_.end());
  return Part::returned;
}

std::optional<OpenRange> IterationPool::take_withheld(Chunk chunk) {
  const auto found = std::ranges::find_if(
      returned_, [chunk](const OpenRange& range) { return range.is_withheld && range.chunk == chunk; });
  if (found == returned_.end()) return std::nullopt;
  const OpenRange taken = *found;
  returned_.erase(found);
  remaining_ -= chunk.size;
  return taken;
}

void IterationPool::open(Chunk range) {
  if (range.size == 0) return;
  if (2 * front_ > fresh_.size()) {  // what is given away takes no memory for long
    fresh_.erase(fresh_.begin(), fresh_.begin() + static_cast<std::ptrdiff_t>(front_));
    front_ = 0;
  }
  fresh_.push_back(range);
  remaining_ += range.size;
}

void IterationPool::remove(Chunk chunk, std::uint32_t contest) {
  std::vector<OpenRange> kept;
  for (const OpenRange& range : returned_) {
    if (range.contest != contest) {
      kept.push_back(range);
      continue;
    }
    remaining_ -= intersection(range.chunk, chunk).size;
    for (const Chunk rest : difference(range.chunk, chunk)) {
      kept.push_back(range);
      kept.back().chunk = rest;
    }
  }
  returned_ = std::move(kept);
  count_unsuspected();
}

}  // namespace loadshare
