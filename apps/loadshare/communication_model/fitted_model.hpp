#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/communication_model/measurements.hpp"
#include "models/communication/curve.hpp"
#include "schedulers/types.hpp"

namespace loadshare::tool {

struct FittedGroup {
  std::vector<std::string> names;
  Index samples = 0;
  communication::Curve curve;
};

/// A curve for each group of a person's measurements.
struct FittedModel {
  static constexpr int schema = 1;  ///< of its JSON

  std::string fit;
  std::string size_name;
  std::vector<std::string> group_columns;
  std::vector<FittedGroup> groups;
};

/// Fits each group by the fit of that name; throws UsageError, with the place of a group that cannot be.
FittedModel fit_measurements(const Measurements& measurements, const std::string& fit);

/// The names of a group in one line: "C1 standard sender".
std::string group_text(const std::vector<std::string>& names);

}  // namespace loadshare::tool
