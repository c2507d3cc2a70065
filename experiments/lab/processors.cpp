#include "experiments/lab/processors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loadshare::lab {
namespace {

constexpr double rounding = 1e-9;  // sums of tenths miss each other by less

std::vector<std::size_t> by_falling_share(std::span<const double> shares) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  return order;
}

std::vector<int> least_loaded(const ProcessorLoads& loads, std::size_t number) {
  std::vector<int> processors;
  for (const auto& [processor, load] : loads) processors.push_back(processor);
  std::ranges::stable_sort(processors, [&](int a, int b) { return loads.at(a) < loads.at(b) - rounding; });
  processors.resize(number);
  std::ranges::sort(processors);
  return processors;
}

}  // namespace

std::optional<std::vector<std::vector<int>>> place_hosts(std::span<const double> shares,
                                                         ProcessorLoads& loads) {
  std::vector<std::vector<int>> places(shares.size());
  for (const std::size_t host : by_falling_share(shares)) {
    const auto number = static_cast<std::size_t>(std::ceil(shares[host] - rounding));
    if (number > loads.size()) return std::nullopt;
    places[host] = least_loaded(loads, number);
    for (const int processor : places[host]) loads[processor] += shares[host] / static_cast<double>(number);
  }
  return places;
}

}  // namespace loadshare::lab
