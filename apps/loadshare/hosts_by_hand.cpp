#include "apps/loadshare/hosts_by_hand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <unordered_set>

#include "base/error.hpp"
#include "base/quantities.hpp"

namespace loadshare::tool {
namespace {

using predictor::HostModel;

constexpr double least_speed = 1e-9;  // beyond these no run ends, or none takes any time
constexpr double most_speed = 1e9;

[[noreturn]] void refuse(std::string_view part, std::string_view why) {
  throw UsageError(fmt::format("'{}' is no host", part), why, fmt::format("write hosts as {}", hosts_form));
}

/// Alike but for their names; without a name of their own it is empty.
struct HostGroup {
  std::string name;
  Index count = 1;
  double speed = 1;
};

Index count_in(std::string_view text, std::string_view part) {
  Index count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = stop == text.data() + text.size() && !text.empty();
  if (is_number && error == std::errc::result_out_of_range) return most_hosts + 1;
  if (error != std::errc{} || !is_number) refuse(part, "the count before the x must be a whole number");
  if (count < 1) refuse(part, "the count before the x must be at least 1");
  return count;
}

double speed_in(std::string_view text, std::string_view part) {
  const std::optional<double> speed = parse_number(text);
  if (!speed) refuse(part, "its speed must be a number");
  if (*speed <= 0) refuse(part, "its speed must be more than 0");
  if (*speed < least_speed || *speed > most_speed)
    refuse(part, fmt::format("its speed must be from {:g} to {:g}", least_speed, most_speed));
  return *speed;
}

void require_host_name(std::string_view name, std::string_view part) {
  if (name.empty()) refuse(part, "there is no name before the =");
  const auto is_odd = [](unsigned char c) { return std::isspace(c) != 0 || std::iscntrl(c) != 0; };
  if (std::ranges::any_of(name, is_odd)) refuse(part, "a name must not contain blanks");
}

HostGroup group_in(std::string_view part) {
  HostGroup group;
  std::string_view rest = part;
  if (rest.empty()) refuse(part, "a comma has no host before or after it");
  if (const std::size_t equals = rest.find('='); equals != rest.npos) {
    group.name = rest.substr(0, equals);
    require_host_name(group.name, part);
    rest.remove_prefix(equals + 1);
  }
  if (const std::size_t times = rest.find('x'); times != rest.npos) {
    group.count = count_in(rest.substr(0, times), part);
    rest.remove_prefix(times + 1);
  }
  group.speed = speed_in(rest, part);
  return group;
}

/// Of a name or a number alone.
void add_hosts(const HostGroup& group, std::vector<HostModel>& hosts) {
  if (group.count > most_hosts - static_cast<Index>(hosts.size()))
    throw UsageError("there are too many hosts", fmt::format("at most {} are predicted", most_hosts),
                     "write fewer");
  for (Index i = 1; i <= group.count; ++i) {
    HostModel& host = hosts.emplace_back();
    if (group.name.empty())
      host.name = fmt::format("host{}", hosts.size());
    else
      host.name = group.count == 1 ? group.name : fmt::format("{}{}", group.name, i);
    host.is_named = !group.name.empty();
    host.speed = group.speed;
  }
}

void require_own_names(const std::vector<HostModel>& hosts) {
  std::unordered_set<std::string_view> names;
  names.reserve(hosts.size());
  for (const HostModel& host : hosts)
    if (!names.insert(host.name).second)
      throw UsageError(fmt::format("two hosts are called '{}'", host.name),
                       "hosts are identified by their names", "give each its own name");
}

}  // namespace

std::vector<HostModel> parse_hosts_by_hand(const std::string& text) {
  std::vector<HostModel> hosts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    add_hosts(group_in(std::string_view(text).substr(begin, end - begin)), hosts);
    begin = end + 1;
  }
  require_own_names(hosts);
  return hosts;
}

bool looks_written_by_hand(std::string_view text) {
  constexpr std::array<std::string_view, 3> endings{".yaml", ".yml", ".json"};
  const bool ends_like_a_file = std::ranges::any_of(endings, [&](auto end) { return text.ends_with(end); });
  if (text.empty() || ends_like_a_file || text.find('/') != text.npos) return false;
  const bool is_list = text.find_first_of(",=") != text.npos;
  const std::size_t sign = text.find_first_not_of("+-.");
  return is_list || (sign != text.npos && std::isdigit(static_cast<unsigned char>(text[sign])) != 0);
}

}  // namespace loadshare::tool
