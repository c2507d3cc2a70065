#pragma once

#include <string>

#include "apps/loadshare/metrics/run.hpp"

namespace loadshare::tool {

/// The run that a profile tells (what libloadshare_profile.so wrote of any MPI program). What makes it
/// partial stands in the notes of its times. Throws UsageError, beginning with the path, where the account
/// does not close, and Error as profile::read_profile() does.
SourcedRun read_profile_run(const std::string& path);

}  // namespace loadshare::tool
