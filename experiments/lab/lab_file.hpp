#pragma once

#include <string>

#include "experiments/lab/state.hpp"
#include "experiments/yaml/document.hpp"

namespace loadshare::lab {

/// Reads a lab file:
///
///     schema: 1
///     name: paper-now
///     period: 10ms                # optional: interval at which the shares are renewed
///     turn: 500us                 # optional: interval of the checks whether a share is used up
///     burst: 250us                # optional: burst of an idle link, as time at its rate
///     hosts:
///       - {name: slow, count: 6, share: 0.10, link: 100mbit}      # slow1 to slow6
///
/// `share: free` is the processor time that no other program uses, see HostPlan::is_free(). A host's `link`
/// limits both directions between host and switch. Throws UsageError as `file:line:column: problem (why);
/// suggestion`.
LabPlan read_lab(const yaml::Value& file);

/// Throws UsageError if `name` cannot be the name of a lab or a host.
void require_name(const std::string& name, const std::string& what);

}  // namespace loadshare::lab
