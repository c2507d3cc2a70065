#include "apps/loadshare/graph/costs_option.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "apps/common/number.hpp"
#include "apps/loadshare/graph/assignments.hpp"
#include "experiments/yaml/quantities.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::tool {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 7> unit_sizes{
    {{"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}};

std::optional<double> parse_size(std::string_view text) {
  for (const auto& [unit, bytes] : unit_sizes) {
    if (!text.ends_with(unit)) continue;
    text.remove_suffix(unit.size());
    if (text.ends_with(' ')) text.remove_suffix(1);
    const auto number = loadshare::parse_number(text);
    if (!number || *number < 0 || !std::isfinite(*number * bytes)) return std::nullopt;
    return *number * bytes;
  }
  return std::nullopt;
}

std::optional<double> parse_bandwidth(std::string_view text) {
  if (!text.ends_with("/s")) return std::nullopt;
  const auto bytes = parse_size(text.substr(0, text.size() - 2));
  return bytes && *bytes > 0 ? bytes : std::nullopt;
}

double take(const Assignment& given, std::optional<double> value, std::string_view like) {
  if (value) return *value;
  throw UsageError(fmt::format("--costs {} is '{}'", given.name, given.value), "",
                   fmt::format("write it like {}", like));
}

}  // namespace

communication::LinearCosts::Parameters parse_costs(const std::string& text) {
  static const std::array<std::string, 3> names{"latency", "bandwidth", "eager"};
  communication::LinearCosts::Parameters costs;
  for (const Assignment& given : parse_assignments("--costs", text)) {
    if (given.name == names[0])
      costs.latency_s = take(given, yaml::parse_duration_s(given.value), "latency=50us");
    else if (given.name == names[1])
      costs.bandwidth_bytes_per_s = take(given, parse_bandwidth(given.value), "bandwidth=12.5MB/s");
    else if (given.name == names[2])
      costs.eager_bytes = take(given, parse_size(given.value), "eager=64KiB");
    else
      throw unknown_name("part of --costs", given.name, names);
  }
  return costs;
}

}  // namespace loadshare::tool
