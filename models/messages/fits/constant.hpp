#pragma once

#include <span>
#include <string>

#include "models/messages/curve.hpp"

namespace loadshare::communication {

/// By the fit of that name; samples of one size alone, through which no line can be laid, give their median
/// for all sizes. An error of the fit begins with what the samples are of. `samples` is not empty.
Curve fit_or_constant(const std::string& fit, std::span<const Sample> samples, const std::string& what);

}  // namespace loadshare::communication
