#pragma once

#include <span>

#include "models/messages/curve.hpp"

namespace loadshare::communication {

/// The paper's fit: t(n) = c n + k by ordinary least squares over all samples, one segment (Li, Wang,
/// Gaudiot: A Strategy for Point-to-point Node Communication Performance Prediction in Cluster Environments,
/// Table 3). For comparison with it: large times rule the line, an outlier moves it, and it may be negative
/// for small sizes, as the paper's is below 7,691 integers; Curve::negative_below() tells.
Curve fit_least_squares(std::span<const Sample> samples);

}  // namespace loadshare::communication
