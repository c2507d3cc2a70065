#pragma once

#include <string>

#include "experiments/lab/state.hpp"
#include "experiments/yaml/document.hpp"

namespace loadshare::lab {

/// Reads a lab file:
///
///     schema: 1
///     name: paper-now
///     period: 10ms                # optional: how often the shares are granted anew
///     turn: 500us                 # optional: how often it is looked whether a share is used up
///     burst: 250us                # optional: how much a silent link sends at once, as time at its rate
///     hosts:
///       - {name: slow, count: 6, share: 0.10, link: 100mbit}      # slow1 to slow6
///
/// `share: free` is what no other program uses of all processors, see HostPlan::is_free(). A host's `link` is
/// both its way up to the switch and down from it. Throws UsageError as `file:line:column: problem (why)
/// suggestion`.
LabPlan read_lab(const yaml::Value& file);

/// Throws UsageError where `name` cannot be a lab's or a host's.
void require_name(const std::string& name, const std::string& what);

}  // namespace loadshare::lab
