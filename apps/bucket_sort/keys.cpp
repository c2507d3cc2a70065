#include "apps/bucket_sort/keys.hpp"

#include <array>
#include <limits>
#include <vector>

#include "apps/common/split_mix.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::bucket_sort {

namespace {

/// Random bits of a place; each place has four.
std::uint64_t bits_of(const KeySet& keys, Index place, std::uint64_t which = 0) {
  const std::uint64_t number = 4 * static_cast<std::uint64_t>(place) + which;
  return split_mix::mix(split_mix::first_state(keys.seed, 0) + number * split_mix::golden_gamma);
}

Key uniform(const KeySet& keys, Index place) {
  return bits_of(keys, place);
}

// As the NAS benchmark IS has it: nearly a bell, without a tail to cut off.
Key gaussian(const KeySet& keys, Index place) {
  Key sum = 0;
  for (std::uint64_t which = 0; which < 4; ++which) sum += bits_of(keys, place, which) / 4;
  return sum;
}

Key few(const KeySet& keys, Index place) {
  constexpr int shift = 60;
  return bits_of(keys, place) >> shift << shift;
}

Key ascending(const KeySet& keys, Index place) {
  const Key step = std::numeric_limits<Key>::max() / static_cast<Key>(keys.size);
  return static_cast<Key>(place) * step + bits_of(keys, place) % step;
}

constexpr std::array key_kinds{
    KeyInfo{"uniform", "each of 2^64 as likely", uniform},
    KeyInfo{"gaussian", "the mean of four uniform ones: most lie in the middle", gaussian},
    KeyInfo{"few", "only 16 different ones", few},
    KeyInfo{"ascending", "in order already", ascending},
};

}  // namespace

std::span<const KeyInfo> key_distributions() {
  return key_kinds;
}

const KeyInfo& find_keys(const std::string& name) {
  std::vector<std::string> names;
  for (const KeyInfo& info : key_kinds) {
    if (name == info.name) return info;
    names.emplace_back(info.name);
  }
  throw unknown_name("--keys", name, names);
}

void make_keys(const KeySet& keys, Index first, std::span<Key> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = keys.key_at(keys, first + static_cast<Index>(i));
}

}  // namespace loadshare::bucket_sort
