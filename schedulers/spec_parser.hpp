#pragma once

#include <string_view>
#include <vector>

#include "schedulers/spec.hpp"
#include "schedulers/spec_form.hpp"

namespace loadshare {

/// Reads `NAME`, `NAME:VALUE,...` or `NAME:PARAMETER=VALUE,...`, positional values first, against the
/// `forms` there are. Names are checked here, values where the thing is made. `kind` is what errors call it:
/// "scheduler". Throws UsageError.
Spec parse_spec(std::string_view kind, std::string_view text, const std::vector<SpecForm>& forms);

}  // namespace loadshare
