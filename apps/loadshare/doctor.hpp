#pragma once

#include "apps/loadshare/output.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {

enum class Strictness { advice_only, warnings_fail };

/// `loadshare doctor`: what would make runs slow here.
struct DoctorRequest {
  OutputForm form = OutputForm::text;
  Strictness strictness = Strictness::advice_only;
};

/// Looks around and prints the findings. Under mpirun the first rank of each host speaks for its host, the
/// others only stay long enough to be looked at. With Strictness::warnings_fail a warning is run_failed.
ExitCode print_findings(const DoctorRequest& request);

}  // namespace loadshare::tool
