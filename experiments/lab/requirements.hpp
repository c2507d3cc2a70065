#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace loadshare::lab {

/// The facilities of a machine that a lab needs. All are available by default.
struct Facilities {
  bool has_net_admin = true;  ///< CAP_NET_ADMIN
  bool has_sys_admin = true;  ///< CAP_SYS_ADMIN
  bool has_ip = true;         ///< the programs of iproute2
  bool has_tc = true;
  bool has_cpu_quota = true;   ///< a control group with the cpu controller that can be written
  bool has_namespaces = true;  ///< network and host-name namespaces
  bool has_bridge = true;      ///< kernel parts
  bool has_veth = true;
  bool has_tbf = true;
};

/// Checks rights, programs and the controller, quickly. Its only side effect may be that a control group
/// passes the cpu controller on (find_group_place()).
Facilities look_for_facilities();

/// Tries the kernel's parts of a network in a temporary namespace. Throws Error (run_failed) if a program
/// cannot be started.
Facilities try_facilities(Facilities found);

/// Returns the names of what is missing; empty if a lab can be made.
std::vector<std::string> missing(const Facilities& found);

/// Throws refusal() unless look_for_facilities() finds everything.
void require_facilities();

/// Returns one error for everything that is missing, with advice. Requires that missing() is not empty.
Error refusal(const Facilities& found);

}  // namespace loadshare::lab
