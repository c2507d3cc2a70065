#include "experiments/lab/state.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/names.hpp"

namespace loadshare::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t first_candidate = 0x0ad00000;  // 10.208.0.0
constexpr std::uint32_t last_candidate = 0x0adfff00;   // 10.223.255.0
constexpr std::uint32_t step = 0x100;

std::uint32_t mask_of(int prefix) {
  return prefix == 0 ? 0 : ~std::uint32_t{0} << (32 - prefix);
}

std::string dotted(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}

/// Reverses the bytes: the kernel prints addresses as hexadecimal numbers with the first byte last.
std::uint32_t swapped(std::uint32_t value) {
  return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}

/// Removes a number from the front of `text`, and `end` after it.
std::optional<std::uint32_t> take_number(std::string_view& text, std::string_view end, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value > most) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (!text.starts_with(end)) return std::nullopt;
  text.remove_prefix(end.size());
  return value;
}

Json host_json(const HostPlan& plan, const HostPlace& place) {
  return {{"name", plan.name},
          {"share", plan.share},
          {"link_bits_per_s", plan.link_bits_per_s},
          {"address", place.address},
          {"processors", place.processors}};
}

void read_host(const Json& json, LabState& state) {
  state.plan.hosts.push_back({json.at("name"), json.at("share"), json.at("link_bits_per_s")});
  state.places.push_back({json.at("address"), json.at("processors").get<std::vector<int>>()});
}

LabState read_state(const Json& json) {
  LabState state;
  state.plan.name = json.at("name");
  state.plan.period_us = json.at("period_us");
  if (json.contains("burst_us")) state.plan.burst_us = json.at("burst_us").get<int>();
  state.plan.turn_us = json.value("turn_us", 0);  // 0 in the state of an older version, which equals no plan
  state.file = json.at("file");
  state.is_up = json.at("is_up");
  state.users = json.value("users", std::vector<std::string>{by_hand});
  state.subnet = parse_subnet(json.at("subnet").get<std::string>()).value();
  state.groups.version = json.at("groups").at("version") == 2 ? GroupVersion::v2 : GroupVersion::v1;
  state.groups.folder = json.at("groups").at("folder").get<std::string>();
  for (const Json& host : json.at("hosts")) read_host(host, state);
  return state;
}

}  // namespace

bool overlap(const Subnet& a, const Subnet& b) {
  const std::uint32_t mask = mask_of(std::min(a.prefix, b.prefix));
  return (a.address & mask) == (b.address & mask);
}

std::string to_text(const Subnet& subnet) {
  return fmt::format("{}/{}", dotted(subnet.address), subnet.prefix);
}

std::optional<Subnet> parse_subnet(std::string_view text) {
  Subnet subnet{};
  for (const std::string_view end : {".", ".", ".", "/"}) {
    const auto byte = take_number(text, end, 255);
    if (!byte) return std::nullopt;
    subnet.address = subnet.address << 8 | *byte;
  }
  const auto prefix = take_number(text, "", 32);
  if (!prefix || !text.empty()) return std::nullopt;
  subnet.prefix = static_cast<int>(*prefix);
  return subnet;
}

std::string address_text(const Subnet& subnet, std::uint32_t n) {
  return dotted(subnet.address + n);
}

std::vector<Subnet> parse_routes(const std::string& table) {
  std::vector<Subnet> subnets;
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);  // the columns' names
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string interface, flags, count, use, metric;
    std::uint32_t destination = 0, gateway = 0, mask = 0;
    fields >> interface >> std::hex >> destination >> gateway >> flags >> count >> use >> metric >> mask;
    if (fields && mask != 0) subnets.push_back({swapped(destination), std::popcount(mask)});
  }
  return subnets;
}

std::optional<Subnet> free_subnet(std::span<const Subnet> taken) {
  for (std::uint32_t address = first_candidate; address <= last_candidate; address += step) {
    const Subnet candidate{address, 24};
    if (std::ranges::none_of(taken, [&](const Subnet& other) { return overlap(candidate, other); }))
      return candidate;
  }
  return std::nullopt;
}

std::size_t LabState::host(const std::string& name) const {
  const auto found = std::ranges::find(plan.hosts, name, &HostPlan::name);
  if (found != plan.hosts.end()) return static_cast<std::size_t>(found - plan.hosts.begin());
  std::vector<std::string> names;
  for (const HostPlan& one : plan.hosts) names.push_back(one.name);
  throw unknown_name("host", name, names);
}

std::string to_json(const LabState& state) {
  Json hosts = Json::array();
  for (std::size_t i = 0; i < state.plan.hosts.size(); ++i)
    hosts.push_back(host_json(state.plan.hosts[i], state.places[i]));
  Json json{{"schema", LabPlan::schema},
            {"name", state.plan.name},
            {"file", state.file},
            {"is_up", state.is_up},
            {"users", state.users},
            {"period_us", state.plan.period_us},
            {"turn_us", state.plan.turn_us},
            {"subnet", to_text(state.subnet)},
            {"groups",
             {{"version", static_cast<int>(state.groups.version)}, {"folder", state.groups.folder.string()}}},
            {"hosts", hosts}};
  if (state.plan.burst_us) json["burst_us"] = *state.plan.burst_us;
  return json.dump();
}

LabState from_json(const std::string& text, const std::filesystem::path& path) {
  try {
    return read_state(Json::parse(text));
  } catch (const std::exception& error) {
    throw Error(ExitCode::run_failed, fmt::format("{} is not the state of a lab", path.string()),
                error.what(), "remove the folder that contains it");
  }
}

}  // namespace loadshare::lab
