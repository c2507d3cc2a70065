#include "experiments/lab/requirements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loadshare::lab {
namespace {

struct Need {
  bool is_there;
  const char* name;
  const char* remedy;
};

std::vector<Need> needs(const Facilities& found) {
  const char* root = "run it as root";
  const char* package = "install the package iproute2";
  const char* kernel = "take another kernel";
  return {{found.has_net_admin, "the right CAP_NET_ADMIN", root},
          {found.has_sys_admin, "the right CAP_SYS_ADMIN", root},
          {found.has_ip, "the program ip", package},
          {found.has_tc, "the program tc", package},
          {found.has_cpu_quota, "a writable control group with the cpu controller",
           "in a container, have /sys/fs/cgroup mounted for writing"},
          {found.has_namespaces, "the kernel's network and host-name namespaces", kernel},
          {found.has_bridge, "the kernel's bridge", kernel},
          {found.has_veth, "the kernel's veth cards", kernel},
          {found.has_tbf, "the kernel's token bucket filter (tbf)", kernel}};
}

}  // namespace

std::vector<std::string> missing(const Facilities& found) {
  std::vector<std::string> names;
  for (const Need& need : needs(found))
    if (!need.is_there) names.emplace_back(need.name);
  return names;
}

Error refusal(const Facilities& found) {
  std::vector<std::string> remedies;
  for (const Need& need : needs(found))
    if (!need.is_there && (remedies.empty() || remedies.back() != need.remedy))
      remedies.emplace_back(need.remedy);
  return Error(ExitCode::usage, "a lab cannot be made here",
               fmt::format("missing: {}", fmt::join(missing(found), ", ")),
               fmt::format("{}", fmt::join(remedies, "; ")));
}

}  // namespace loadshare::lab
