#include "models/messages/collective_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "models/messages/fits/interpolated.hpp"

namespace loadshare::communication {
namespace {

/// As logarithms, where times have some.
double between(double low_s, double high_s, double share) {
  if (low_s <= 0 || high_s <= 0) return std::lerp(low_s, high_s, share);
  return low_s * std::pow(high_s / low_s, share);
}

Estimate between(const Estimate& low, const Estimate& high, double share) {
  const double seconds = between(low.seconds, high.seconds, share);
  if (low.is_extrapolated || high.is_extrapolated)
    return {seconds, 0, std::numeric_limits<double>::infinity(), true};
  return {seconds, between(low.low_s, high.low_s, share), between(low.high_s, high.high_s, share), false};
}

}  // namespace

CollectiveModel::CollectiveModel(std::span<const CollectiveSample> samples,
                                 std::span<const RootedSample> rooted)
    : rooted_(rooted) {
  std::map<std::pair<std::string, int>, std::vector<Sample>> parts;
  for (const CollectiveSample& one : samples)
    parts[{one.call, one.members}].push_back({one.bytes, one.seconds, one.launch});
  for (const auto& [key, of_part] : parts) curves_[key.first].emplace(key.second, fit_interpolated(of_part));
}

std::optional<CollectiveModel::Between> CollectiveModel::curves_at(const std::string& call,
                                                                   int members) const {
  const auto found = curves_.find(call);
  if (found == curves_.end()) return std::nullopt;
  const auto& by_members = found->second;
  const auto above = by_members.lower_bound(members);
  if (above == by_members.end()) return std::nullopt;
  if (above->first == members) return Between{&above->second, &above->second, 0};
  if (above == by_members.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const double share = std::log(static_cast<double>(members) / below->first) /
                       std::log(static_cast<double>(above->first) / below->first);
  return Between{&below->second, &above->second, share};
}

std::optional<Estimate> CollectiveModel::time(const std::string& call, int members, double bytes) const {
  const auto curves = curves_at(call, members);
  if (!curves) return std::nullopt;
  const auto at = [bytes](const Curve& curve) { return curve.at(bytes == 0 ? curve.first_size() : bytes); };
  if (curves->below == curves->above) return at(*curves->below);
  return between(at(*curves->below), at(*curves->above), curves->share);
}

std::optional<std::vector<MemberTime>> CollectiveModel::times_by_member(const std::string& call, int members,
                                                                        double bytes) const {
  return rooted_.times(call, members, bytes);
}

std::optional<SizeRange> CollectiveModel::measured_bytes(const std::string& call, int members) const {
  if (const auto range = rooted_.measured_bytes(call, members)) return range;
  const auto curves = curves_at(call, members);
  if (!curves) return std::nullopt;
  return SizeRange{std::max(curves->below->first_size(), curves->above->first_size()),
                   std::min(curves->below->last_size(), curves->above->last_size())};
}

}  // namespace loadshare::communication
