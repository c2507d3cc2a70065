#include "profiler/preload/request_table.hpp"

namespace loadshare::profile {

RequestTable::RequestTable() : buckets_(1024), requests_(1) {
  requests_.reserve(512);
}

std::size_t RequestTable::home(const void* handle) const {
  const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(handle) * 0x9e3779b97f4a7c15U;
  return static_cast<std::size_t>(mixed >> 32) & (buckets_.size() - 1);
}

/// Returns the position of the handle's bucket, or of the empty bucket where it belongs.
std::size_t RequestTable::place_of(const void* handle) const {
  std::size_t i = home(handle);
  while (buckets_[i].first != 0 && buckets_[i].handle != handle) i = (i + 1) & (buckets_.size() - 1);
  return i;
}

void RequestTable::grow() {
  std::vector<Bucket> old(buckets_.size() * 2);
  old.swap(buckets_);
  for (const Bucket& bucket : old)
    if (bucket.first != 0) buckets_[place_of(bucket.handle)] = bucket;
}

OpenRequest& RequestTable::add(const void* handle) {
  std::uint32_t index = free_;
  if (index != 0) {
    free_ = requests_[index].next;
  } else {
    index = static_cast<std::uint32_t>(requests_.size());
    requests_.emplace_back();
  }
  Bucket& bucket = buckets_[place_of(handle)];
  requests_[index] = OpenRequest{};
  requests_[index].handle = handle;
  requests_[index].next = bucket.first;
  const bool is_new = bucket.first == 0;
  bucket = {handle, index};
  if (is_new && ++used_ * 2 > buckets_.size()) grow();
  return requests_[index];
}

OpenRequest* RequestTable::find(const void* handle) {
  const Bucket& bucket = buckets_[place_of(handle)];
  return bucket.first == 0 ? nullptr : &requests_[bucket.first];
}

void RequestTable::remove(const void* handle) {
  const std::size_t at = place_of(handle);
  const std::uint32_t index = buckets_[at].first;
  if (index == 0) return;
  buckets_[at].first = requests_[index].next;
  requests_[index].next = free_;
  free_ = index;
  if (buckets_[at].first != 0) return;
  --used_;
  close_gap(at);
}

/// Moves buckets after a hole forward if they would otherwise not be found.
void RequestTable::close_gap(std::size_t hole) {
  const std::size_t mask = buckets_.size() - 1;
  for (std::size_t i = (hole + 1) & mask; buckets_[i].first != 0; i = (i + 1) & mask) {
    const std::size_t wanted = home(buckets_[i].handle);
    if (((i - wanted) & mask) < ((i - hole) & mask)) continue;
    buckets_[hole] = buckets_[i];
    buckets_[i].first = 0;
    hole = i;
  }
}

}  // namespace loadshare::profile
