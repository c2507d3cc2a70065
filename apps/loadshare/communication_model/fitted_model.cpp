#include "apps/loadshare/communication_model/fitted_model.hpp"

#include <fmt/format.h>

#include "models/communication/fit.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::tool {
namespace {

/// A column that merely numbers the rows makes a group of each.
std::string columns_to_name(const Measurements& all, const MeasuredGroup& group) {
  if (all.group_columns.empty() || group.samples.size() >= communication::fewest_samples) return "";
  return fmt::format(", or name with --by the columns that tell groups apart (now {})",
                     list_names(all.group_columns));
}

communication::Curve curve_of(const Measurements& all, const MeasuredGroup& group, const std::string& fit) {
  try {
    communication::require_fittable(group.samples);
  } catch (const UsageError& error) {
    const std::string name = group.names.empty() ? "" : group_text(group.names) + ": ";
    throw UsageError(fmt::format("{}: {}{}{}", group.place, name, error.what(), columns_to_name(all, group)));
  }
  return communication::fit_curve(fit, group.samples);
}

}  // namespace

FittedModel fit_measurements(const Measurements& measurements, const std::string& fit) {
  FittedModel model{fit, measurements.size_name, measurements.group_columns, {}};
  for (const MeasuredGroup& group : measurements.groups)
    model.groups.push_back(
        {group.names, static_cast<Index>(group.samples.size()), curve_of(measurements, group, fit)});
  return model;
}

std::string group_text(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace loadshare::tool
