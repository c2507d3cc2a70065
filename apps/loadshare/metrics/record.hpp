#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/loadshare/metrics/run.hpp"

namespace loadshare::tool {

/// The run that a run record (what programs write with --json) tells. Throws UsageError, beginning with
/// `place`, where it is of another schema, is no record, lacks ranks or fields, or where its account does not
/// close.
SourcedRun read_run_record(const nlohmann::json& record, const std::string& place);

}  // namespace loadshare::tool
