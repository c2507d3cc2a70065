#include "models/granularity/speeds.hpp"

#include <algorithm>

namespace loadshare::granularity {
namespace {

constexpr double unequal_from = 1.05;

bool has_speed(const RankTimes& rank) {
  return rank.work && *rank.work > 0 && rank.computing_s > 0;
}

}  // namespace

const char* name_of(SpeedSource source) {
  if (source == SpeedSource::given) return "given";
  return source == SpeedSource::quota ? "quota" : "measured";
}

bool are_unequal(std::span<const double> speeds) {
  if (speeds.empty()) return false;
  const auto [least, most] = std::ranges::minmax(speeds);
  return most > unequal_from * least;
}

std::vector<double> quota_speeds(const RunTimes& run) {
  std::vector<double> speeds;
  for (const RankTimes& rank : run.ranks) speeds.push_back(rank.capacity);
  return speeds;
}

std::optional<std::vector<double>> measured_speeds(const RunTimes& run) {
  std::vector<double> speeds;
  for (const RankTimes& rank : run.ranks) {
    if (!has_speed(rank)) return std::nullopt;
    speeds.push_back(*rank.work / rank.computing_s);
  }
  return speeds;
}

std::vector<int> ranks_without_speed(const RunTimes& run) {
  std::vector<int> numbers;
  for (const RankTimes& rank : run.ranks)
    if (!has_speed(rank)) numbers.push_back(rank.rank);
  return numbers;
}

}  // namespace loadshare::granularity
