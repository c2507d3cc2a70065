#include "experiments/lab/network_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace loadshare::lab {
namespace {

/// A queue as long as a switch port's of the time, so that a burst from all hosts to one is delayed, not
/// lost.
constexpr std::uint64_t least_queue_bytes = 512 * 1024;
constexpr std::uint64_t most_queue_bytes = std::uint64_t{2} << 30;  // tc counts to twice as many
std::string rate_line(const std::string& card, std::uint64_t bits_per_s, const LabPlan& plan) {
  const std::uint64_t burst_bytes = burst_bytes_of(bits_per_s, plan);
  const std::uint64_t queue_bytes = std::clamp(8 * burst_bytes, least_queue_bytes, most_queue_bytes);
  return fmt::format("qdisc add dev {} root tbf rate {}bit burst {}b limit {}b\n", card, bits_per_s,
                     burst_bytes, queue_bytes);
}

std::string port(std::size_t host) {
  return fmt::format("port{}", host + 1);
}

}  // namespace

std::string switch_links(const LabState& state, const std::filesystem::path& folder) {
  std::string script = "link set dev lo up\n";
  script += "link add name bridge type bridge stp_state 0 forward_delay 0 mcast_snooping 0\n";
  script += fmt::format("address add {}/{} dev bridge\n", address_text(state.subnet, switch_number),
                        state.subnet.prefix);
  script += "link set dev bridge up\n";
  for (std::size_t host = 0; host < state.plan.hosts.size(); ++host) {
    const std::string cable_end = namespace_file(folder, state.plan.hosts[host].name).string();
    script += fmt::format("link add name {} type veth peer name eth0 netns {}\n", port(host), cable_end);
    script += fmt::format("link set dev {} up master bridge\n", port(host));
  }
  return script;
}

std::string switch_rates(const LabState& state) {
  std::string script;
  for (std::size_t host = 0; host < state.plan.hosts.size(); ++host)
    script += rate_line(port(host), state.plan.hosts[host].link_bits_per_s, state.plan);
  return script;
}

std::string host_links(const LabState& state, std::size_t host) {
  return fmt::format("link set dev lo up\naddress add {}/{} dev eth0\nlink set dev eth0 up\n",
                     state.places[host].address, state.subnet.prefix);
}

std::string host_rates(const LabState& state, std::size_t host) {
  return rate_line("eth0", state.plan.hosts[host].link_bits_per_s, state.plan);
}

std::filesystem::path namespace_file(const std::filesystem::path& folder, const std::string& host) {
  return folder / (host + ".host");
}

std::filesystem::path switch_namespace_file(const std::filesystem::path& folder) {
  return folder / "switch";
}

std::string name_table(const LabState& state) {
  std::string table = "127.0.0.1 localhost\n";
  table += fmt::format("{} switch\n", address_text(state.subnet, switch_number));
  for (std::size_t host = 0; host < state.plan.hosts.size(); ++host)
    table += fmt::format("{} {}\n", state.places[host].address, state.plan.hosts[host].name);
  return table;
}

}  // namespace loadshare::lab
