#include "runtime/dispatch/contests.hpp"

namespace loadshare {

std::vector<Chunk> difference(Chunk a, Chunk b) {
  const Chunk common = intersection(a, b);
  if (common.size == 0) return a.size > 0 ? std::vector{a} : std::vector<Chunk>{};
  std::vector<Chunk> rest;
  if (a.first < common.first) rest.push_back({a.first, common.first - a.first});
  if (common.end() < a.end()) rest.push_back({common.end(), a.end() - common.end()});
  return rest;
}

Index Contest::open_in(Chunk chunk) const {
  Index count = 0;
  for (const Chunk part : open) count += intersection(part, chunk).size;
  return count;
}

std::vector<Chunk> Contest::close(Chunk chunk) {
  std::vector<Chunk> closed, left;
  for (const Chunk part : open) {
    const Chunk common = intersection(part, chunk);
    if (common.size > 0) closed.push_back(common);
    for (const Chunk rest : difference(part, chunk)) left.push_back(rest);
  }
  open = std::move(left);
  return closed;
}

std::uint32_t Contests::add(Chunk chunk, std::uint32_t holder) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(contests_.size()));
    contests_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Contest& contest = contests_[number];
  contest.open.assign(1, chunk);
  contest.holders.assign(1, holder);
  contest.failures = 0;
  contest.is_free = false;
  return number;
}

void Contests::release_if_over(std::uint32_t number) {
  Contest& contest = contests_[number];
  if (contest.is_free || contest.is_queued || !contest.open.empty() || !contest.holders.empty()) return;
  contest.is_free = true;
  free_.push_back(number);
}

}  // namespace loadshare
