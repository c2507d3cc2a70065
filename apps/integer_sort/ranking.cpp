#include "apps/integer_sort/ranking.hpp"

#include <numeric>

namespace loadshare::integer_sort {

void Ranking::rank(std::span<const Key> keys, spmd::Part values, Index lesser) {
  first_ = static_cast<Key>(values.first);
  lesser_ = lesser;
  begins_.assign(static_cast<std::size_t>(values.size), 0);
  for (const Key key : keys) ++begins_[place_of(key)];
  std::exclusive_scan(begins_.begin(), begins_.end(), begins_.begin(), Count{0});
}

void Ranking::sort_into(std::span<const Key> keys, std::span<Key> out) const {
  std::vector<Count> next = begins_;
  for (const Key key : keys) out[static_cast<std::size_t>(next[place_of(key)]++)] = key;
}

}  // namespace loadshare::integer_sort
