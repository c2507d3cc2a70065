#include "experiments/lab/lab_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "experiments/lab/network.hpp"

namespace loadshare::lab {
namespace {

constexpr double least_period_s = 1e-3;  // the kernel's bounds of a quota's period
constexpr double most_period_s = 1;
constexpr double most_share = 1024;
constexpr double most_burst_s = 0.1;
constexpr double least_turn_s = 1e-4;  // shorter turns would use up much of a small share themselves
constexpr double most_turn_s = 1;
constexpr double least_rate_bits_per_s = 1e4;
constexpr double most_rate_bits_per_s = 1e11;
constexpr std::size_t longest_name = 32;

const std::array<std::string, 6> lab_keys{"schema", "name", "period", "turn", "burst", "hosts"};
const std::array<std::string, 4> host_keys{"name", "count", "share", "link"};

/// Returns why `name` cannot be the name of a host or a lab; empty if it can.
std::string_view fault_of(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  if (name.empty() || !is_letter(name.front()) || !std::ranges::all_of(name, fits) || name.ends_with('-'))
    return "names consist of letters, digits and dashes, start with a letter and do not end with a dash";
  if (name.size() > longest_name) return "names have at most 32 characters";
  if (name == "switch" || name == "localhost") return "the lab itself uses this name";
  return "";
}

std::string name_in(const yaml::Value& value) {
  if (const std::string_view fault = fault_of(value.text()); !fault.empty()) throw value.wrong(fault);
  return value.text();
}

int period_us_in(const yaml::Value& value) {
  const double period_s = value.duration_s();
  if (period_s < least_period_s || period_s > most_period_s) throw value.wrong("it must be from 1ms to 1s");
  return static_cast<int>(std::lround(period_s * 1e6));
}

int turn_us_in(const yaml::Value& value) {
  const double turn_s = value.duration_s();
  if (turn_s < least_turn_s || turn_s > most_turn_s) throw value.wrong("it must be from 100us to 1s");
  return static_cast<int>(std::lround(turn_s * 1e6));
}

int burst_us_in(const yaml::Value& value) {
  const double burst_s = value.duration_s();
  if (burst_s > most_burst_s) throw value.wrong("it must be from 0us to 100ms");
  return static_cast<int>(std::lround(burst_s * 1e6));
}

std::uint64_t link_in(const yaml::Value& value) {
  const double rate = value.rate_bits_per_s();
  if (rate < least_rate_bits_per_s || rate > most_rate_bits_per_s)
    throw value.wrong("it must be from 10kbit to 100gbit");
  return static_cast<std::uint64_t>(std::llround(rate));
}

double share_in(const yaml::Value& value, int period_us) {
  if (value.text() == "free") return 0;
  const double share = value.number(0, most_share);
  if (share * period_us >= LabPlan::least_quota_us - 0.5) return share;
  const double least = static_cast<double>(LabPlan::least_quota_us) / period_us;
  throw value.wrong(
      fmt::format("it must be at least {:g}, because the kernel grants at least 1 ms per period of {:g} ms",
                  least, period_us / 1e3),
      "increase the share, or the lab's `period:`");
}

void require_schema(yaml::Map& map) {
  const yaml::Value schema = map.at("schema");
  if (const Index number = schema.integer(); number != LabPlan::schema)
    throw schema.error(fmt::format("schema is {}", number),
                       fmt::format("this version reads schema {}", LabPlan::schema));
}

void add_host(const yaml::Value& place, const std::string& name, const HostPlan& like, LabPlan& plan) {
  if (std::ranges::find(plan.hosts, name, &HostPlan::name) != plan.hosts.end())
    throw place.error(fmt::format("two hosts are called '{}'", name), "names identify hosts", "rename one");
  if (plan.hosts.size() == most_hosts)
    throw place.error("too many hosts", fmt::format("a lab has at most {}", most_hosts));
  plan.hosts.push_back(like);
  plan.hosts.back().name = name;
}

void read_hosts(const yaml::Value& value, LabPlan& plan) {
  yaml::Map map = value.map();
  map.require_known(host_keys);
  const yaml::Value name_value = map.at("name");
  const std::string name = name_in(name_value);
  const auto count_value = map.find("count");
  const Index count = count_value ? count_value->integer(1, most_hosts) : 1;
  const HostPlan like{name, share_in(map.at("share"), plan.period_us), link_in(map.at("link"))};
  for (Index i = 1; i <= count; ++i)
    add_host(name_value, count == 1 ? name : fmt::format("{}{}", name, i), like, plan);
}

}  // namespace

LabPlan read_lab(const yaml::Value& file) {
  yaml::Map map = file.map();
  require_schema(map);
  map.require_known(lab_keys);
  LabPlan plan;
  plan.name = name_in(map.at("name"));
  if (const auto period = map.find("period")) plan.period_us = period_us_in(*period);
  if (const auto turn = map.find("turn")) plan.turn_us = turn_us_in(*turn);
  if (const auto burst = map.find("burst")) plan.burst_us = burst_us_in(*burst);
  const yaml::Value hosts = map.at("hosts");
  for (const yaml::Value& host : hosts.list()) read_hosts(host, plan);
  if (plan.hosts.empty()) throw hosts.error("there are no hosts", "a lab has at least one");
  return plan;
}

void require_name(const std::string& name, const std::string& what) {
  if (const std::string_view fault = fault_of(name); !fault.empty())
    throw UsageError(fmt::format("{} is '{}'", what, name), fault);
}

}  // namespace loadshare::lab
