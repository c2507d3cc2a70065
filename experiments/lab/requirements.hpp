#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace loadshare::lab {

/// What a lab needs of a machine, as found; all there unless said otherwise.
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

/// Looks for rights, programs and the controller: quick; at most it has a control group hand the cpu
/// controller on (find_group_place()).
Facilities look_for_facilities();

/// Adds what only trying can tell, in a namespace that is thrown away: the kernel's parts of a network.
Facilities try_facilities(Facilities found);

/// What is missing, in words: empty when a lab can be made.
std::vector<std::string> missing(const Facilities& found);

/// Throws refusal() unless look_for_facilities() finds all that it looks for.
void require_facilities();

/// One error for all that is missing, with what to do about it; call it when missing() is not empty.
Error refusal(const Facilities& found);

}  // namespace loadshare::lab
