#include "runtime/dispatch/contests.hpp"

#include <algorithm>
#include <utility>

namespace loadshare {
namespace {

/// A chunk is given away once, and at the tail at most this many times more.
constexpr std::ptrdiff_t max_copies = 2;

/// What of these ranges lies outside of `chunk`.
std::vector<Chunk> without(const std::vector<Chunk>& ranges, Chunk chunk) {
  std::vector<Chunk> left;
  for (const Chunk range : ranges)
    for (const Chunk rest : difference(range, chunk)) left.push_back(rest);
  return left;
}

/// The first part of `chunk` that may have one more copy: where copies were cut anew, their ends differ.
std::optional<Chunk> thinly_held(const Contest& contest, Chunk chunk, const OutstandingChunks& chunks) {
  std::vector<Index> ends{chunk.first, chunk.end()};
  for (const std::uint32_t holder : contest.holders)
    for (const Index end : {chunks[holder].chunk.first, chunks[holder].chunk.end()})
      if (chunk.first < end && end < chunk.end()) ends.push_back(end);
  std::ranges::sort(ends);
  Chunk thin{chunk.first, 0};
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const Chunk piece{ends[i], ends[i + 1] - ends[i]};
    const auto holders = std::ranges::count_if(contest.holders, [&](std::uint32_t holder) {
      return intersection(chunks[holder].chunk, piece).size > 0;
    });
    if (holders <= max_copies) {
      thin = {thin.size > 0 ? thin.first : piece.first, thin.size + piece.size};
    } else if (thin.size > 0) {
      break;
    }
  }
  return thin.size > 0 ? std::optional(thin) : std::nullopt;
}

std::optional<Chunk> part_to_copy(const Contest& contest, const OutstandingChunks& chunks) {
  if (contest.failures > 0) return std::nullopt;
  for (const std::uint32_t holder : contest.holders) {
    if (chunks[holder].marks.is_doubted) continue;  // it has been given again already
    for (const Chunk open : contest.open)
      if (const auto part = thinly_held(contest, intersection(open, chunks[holder].chunk), chunks))
        return part;
  }
  return std::nullopt;
}

}  // namespace

Index Contest::open_in(Chunk chunk) const {
  Index count = 0;
  for (const Chunk part : open) count += intersection(part, chunk).size;
  return count;
}

std::uint32_t Contests::about(std::uint32_t slot, OutstandingChunks& chunks) {
  if (chunks[slot].contest != none) return chunks[slot].contest;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(contests_.size()));
    contests_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Contest& contest = contests_[number];
  contest.open.assign(1, chunks[slot].chunk);
  contest.holders.assign(1, slot);
  contest.failures = 0;
  contest.is_free = false;
  chunks.contest(slot, number);
  return number;
}

void Contests::leave(std::uint32_t number, std::uint32_t slot) {
  std::erase(contests_[number].holders, slot);
  release_if_over(number);
}

std::vector<Chunk> Contests::close(std::uint32_t number, Chunk chunk) {
  std::vector<Chunk>& open = contests_[number].open;
  std::vector<Chunk> closed;
  for (const Chunk part : open)
    if (const Chunk common = intersection(part, chunk); common.size > 0) closed.push_back(common);
  open = without(open, chunk);
  return closed;
}

std::vector<Chunk> Contests::uncovered(std::uint32_t number, const OutstandingChunks& chunks,
                                       const IterationPool& pool) const {
  std::vector<Chunk> rest = contests_[number].open;
  for (const std::uint32_t holder : contests_[number].holders)
    if (!chunks[holder].marks.is_doubted) rest = without(rest, chunks[holder].chunk);
  pool.for_each_in(number, [&rest](Chunk chunk) { rest = without(rest, chunk); });
  return rest;
}

void Contests::queue(std::uint32_t number) {
  if (contests_[number].is_free || std::exchange(contests_[number].is_queued, true)) return;
  to_copy_.push_back(number);
}

std::optional<OpenRange> Contests::next_to_copy(OutstandingChunks& chunks,
                                                const std::function<bool(Chunk)>& may_be_copied) {
  if (const std::uint32_t slot = chunks.oldest_sole(); slot != OutstandingChunks::none) {
    const std::uint32_t number = about(slot, chunks);
    queue(number);
    if (may_be_copied(chunks[slot].chunk))
      return OpenRange{.chunk = chunks[slot].chunk, .contest = number, .failures = chunks[slot].failures};
  }
  for (auto next = to_copy_.begin(); next != to_copy_.end();) {
    const std::uint32_t number = *next;
    const std::optional<Chunk> part = part_to_copy(contests_[number], chunks);
    if (part && may_be_copied(*part)) return OpenRange{.chunk = *part, .contest = number};
    if (part) {  // some day it may be
      ++next;
      continue;
    }
    next = to_copy_.erase(next);
    contests_[number].is_queued = false;
    release_if_over(number);
  }
  return std::nullopt;
}

void Contests::release_if_over(std::uint32_t number) {
  Contest& contest = contests_[number];
  if (contest.is_free || contest.is_queued || !contest.open.empty() || !contest.holders.empty()) return;
  contest.is_free = true;
  free_.push_back(number);
}

}  // namespace loadshare
