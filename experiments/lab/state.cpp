#include "experiments/lab/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::lab {
namespace {

using Json = nlohmann::ordered_json;

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
    throw Error(ExitCode::run_failed, fmt::format("{} is no lab's state", path.string()), error.what());
  }
}

}  // namespace loadshare::lab
