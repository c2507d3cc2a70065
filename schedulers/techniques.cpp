#include "schedulers/techniques.hpp"

namespace loadshare {

std::vector<Index> sizes_worth_trying(const LoopFacts& loop) {
  constexpr Index most_chunks_of_a_worker = 4096;
  const Index share = loop.iterations / divisible_workers(loop);
  std::vector<Index> sizes{std::max<Index>(1, share / most_chunks_of_a_worker)};
  // As Fibonacci's numbers grow, which begin 1, 2, 3, 5, 8.
  while (sizes.back() + (sizes.back() * 5 + 4) / 8 <= share / 4)
    sizes.push_back(sizes.back() + (sizes.back() * 5 + 4) / 8);
  std::ranges::reverse(sizes);
  return sizes;
}

std::vector<Index> shares_worth_trying(const LoopFacts& loop) {
  const Index share = loop.iterations / divisible_workers(loop);
  std::vector<Index> firsts;
  for (const Index part : {2, 4, 8}) firsts.push_back(std::max<Index>(1, share / part));
  return firsts;
}

std::vector<std::string> specs_of(std::string_view prefix, const std::vector<Index>& values) {
  std::vector<std::string> specs;
  for (const Index value : values) specs.push_back(std::string(prefix) + std::to_string(value));
  return specs;
}

}  // namespace loadshare
