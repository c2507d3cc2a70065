#include "apps/spmd/fingerprint.hpp"

#include <fmt/format.h>

#include "apps/common/split_mix.hpp"

namespace loadshare::spmd {

void Fingerprint::add(std::uint64_t key) {
  ++count;
  first += split_mix::mix(key + split_mix::golden_gamma);
  second += split_mix::mix(~key * split_mix::golden_gamma);
}

Fingerprint& Fingerprint::operator+=(const Fingerprint& other) {
  count += other.count;
  first += other.first;
  second += other.second;
  return *this;
}

std::string difference_between(const Fingerprint& before, const Fingerprint& after) {
  if (before.count != after.count) return fmt::format("of {} keys {} came back", before.count, after.count);
  if (before != after) return "the sorted keys are others than those that were to be sorted";
  return {};
}

}  // namespace loadshare::spmd
