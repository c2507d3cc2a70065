#include "experiments/lab/requirements.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>

#include "experiments/lab/control_groups.hpp"
#include "experiments/lab/network.hpp"
#include "runtime/host/threads.hpp"

namespace loadshare::lab {
namespace {

struct Need {
  bool is_available;
  const char* name;
  const char* remedy;
};

std::vector<Need> needs(const Facilities& found) {
  const char* root = "run it as root, for example with sudo";
  const char* package = "install the package iproute2";
  const char* kernel = "load the kernel module, or use another kernel";
  return {{found.has_net_admin, "the right CAP_NET_ADMIN", root},
          {found.has_sys_admin, "the right CAP_SYS_ADMIN", root},
          {found.has_ip, "the program ip", package},
          {found.has_tc, "the program tc", package},
          {found.has_cpu_quota, "a writable control group with the cpu controller",
           "in a container, mount /sys/fs/cgroup for writing"},
          {found.has_namespaces, "the kernel's network and host-name namespaces", kernel},
          {found.has_bridge, "the kernel's bridge", kernel},
          {found.has_veth, "the kernel's veth cards", kernel},
          {found.has_tbf, "the kernel's token bucket filter (tbf)", kernel}};
}

constexpr int net_admin_bit = 12;  // of linux/capability.h
constexpr int sys_admin_bit = 21;

/// Returns the effective capabilities of this process.
std::uint64_t effective_rights() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;)
    if (std::uint64_t rights = 0; key == "CapEff:" && status >> std::hex >> rights) return rights;
  return 0;
}

bool succeeds(const std::string& program, const std::string& lines) {
  return try_batch("/proc/thread-self/ns/net", program, lines).exit_code == 0;
}

void try_parts(Facilities& found) {
  found.has_namespaces = unshare(CLONE_NEWNET | CLONE_NEWUTS) == 0;
  if (!found.has_namespaces) return;
  found.has_bridge = succeeds("ip", "link add name b type bridge\n");
  found.has_veth = succeeds("ip", "link add name v type veth peer name w\n");
  found.has_tbf = succeeds("tc", "qdisc add dev lo root tbf rate 1mbit burst 16kb limit 64kb\n");
}

}  // namespace

std::vector<std::string> missing(const Facilities& found) {
  std::vector<std::string> names;
  for (const Need& need : needs(found))
    if (!need.is_available) names.emplace_back(need.name);
  return names;
}

Error refusal(const Facilities& found) {
  std::vector<std::string> remedies;
  for (const Need& need : needs(found))
    if (!need.is_available && (remedies.empty() || remedies.back() != need.remedy))
      remedies.emplace_back(need.remedy);
  return Error(ExitCode::usage, "a lab cannot be made here",
               fmt::format("missing: {}", fmt::join(missing(found), ", ")),
               fmt::format("{}", fmt::join(remedies, "; ")));
}

Facilities look_for_facilities() {
  Facilities found;
  const std::uint64_t rights = effective_rights();
  found.has_net_admin = (rights >> net_admin_bit & 1) != 0;
  found.has_sys_admin = (rights >> sys_admin_bit & 1) != 0;
  found.has_ip = !find_program("ip").empty();
  found.has_tc = !find_program("tc").empty();
  // Without rights the groups cannot be written either; reporting both would not help.
  if (found.has_net_admin && found.has_sys_admin) found.has_cpu_quota = find_group_place().has_value();
  return found;
}

void require_facilities() {
  if (const Facilities found = look_for_facilities(); !missing(found).empty()) throw refusal(found);
}

Facilities try_facilities(Facilities found) {
  CheckedThread thread;
  thread.start("to try the facilities of a lab", [&] { try_parts(found); });
  thread.join();
  return found;
}

}  // namespace loadshare::lab
