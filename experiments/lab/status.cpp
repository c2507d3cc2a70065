#include "experiments/lab/status.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/io/text.hpp"
#include "base/names.hpp"
#include "experiments/lab/control_groups.hpp"
#include "experiments/lab/network.hpp"

namespace loadshare::lab {
namespace {

std::size_t name_width(const LabPlan& plan) {
  std::size_t width = 4;
  for (const HostPlan& host : plan.hosts) width = std::max(width, host.name.size());
  return width;
}

std::string line_of(const LabStatus& status, std::size_t host, std::size_t width) {
  const HostPlan& plan = status.state.plan.hosts[host];
  const HostPlace& place = status.state.places[host];
  return fmt::format("{:{}}  {:13}  {:>5}  {:>4}  {:>11}  {:>9}\n", plan.name, width, place.address,
                     plan.is_free() ? "free" : fmt::format("{:.3g}", plan.share),
                     fmt::format("{}", fmt::join(place.processors, "+")),
                     link_rate_text(plan.link_bits_per_s),
                     status.processes[host] ? std::to_string(*status.processes[host]) : "-");
}

/// Returns ", for /home/me/results": the users that are not persons. The lab goes down with the last of them.
std::string users_text(std::vector<std::string> users) {
  std::erase(users, by_hand);
  return users.empty() ? "" : fmt::format(", for {}", list_names(users));
}

std::string headline(const LabState& state) {
  return fmt::format("{}: {}, {} on {}{}\n", state.plan.name,
                     state.is_up ? "up" : "incomplete; repair it with `lab up` or remove it with `lab down`",
                     count_text(static_cast<Index>(state.plan.hosts.size()), "host", "hosts"),
                     to_text(state.subnet), users_text(state.users));
}

}  // namespace

LabStatus look_at(const LabState& state) {
  LabStatus status{state, {}};
  for (const HostPlan& host : state.plan.hosts)
    status.processes.push_back(
        host.is_free() ? std::nullopt : std::optional(ControlGroups(state.groups).processes(host.name)));
  return status;
}

std::string status_table(const LabStatus& status) {
  const std::size_t width = name_width(status.state.plan);
  std::string table = headline(status.state);
  table += fmt::format("\n{:{}}  {:13}  {:>5}  {:>4}  {:>11}  {:>9}\n", "host", width, "address", "share",
                       "cpu", "link", "processes");
  for (std::size_t host = 0; host < status.state.plan.hosts.size(); ++host)
    table += line_of(status, host, width);
  return table;
}

std::string status_json(std::span<const LabStatus> labs) {
  auto list = nlohmann::ordered_json::array();
  for (const LabStatus& lab : labs) {
    auto json = nlohmann::ordered_json::parse(to_json(lab.state));
    for (std::size_t host = 0; host < lab.processes.size(); ++host)
      json["hosts"][host]["processes"] =
          lab.processes[host] ? nlohmann::ordered_json(*lab.processes[host]) : nullptr;
    list.push_back(json);
  }
  return list.dump() + "\n";
}

}  // namespace loadshare::lab
