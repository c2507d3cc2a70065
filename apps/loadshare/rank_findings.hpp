#pragma once

#include <optional>
#include <string>

#include "apps/loadshare/diagnosis.hpp"
#include "schedulers/types.hpp"

namespace loadshare::tool {

using MaybeFinding = std::optional<Finding>;

/// "1 processor", "2 processors".
std::string processors(Index number);

/// How many processors' worth of time the run can have on this host: those its ranks may use together, within
/// the control group's limit.
double capacity(const Surroundings& seen);

/// The same in words.
std::string capacity_text(const Surroundings& seen);

/// Are there processors for all ranks?
MaybeFinding cores_finding(const Surroundings& seen);

/// Do ranks have processors of their own?
MaybeFinding binding_finding(const Surroundings& seen);

/// Do waiting ranks get in the way of computing ones?
MaybeFinding waiting_finding(const Surroundings& seen);

}  // namespace loadshare::tool
