#include "models/program/scaling/variation.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

namespace loadshare::scaling {
namespace {

using Scale = double (*)(double value);

/// On that scale, from the middle of the settings, in units of their largest distance from it: a row a
/// setting, a column a parameter that differs.
struct Placed {
  std::vector<std::string> names;
  Eigen::MatrixXd settings;
  Eigen::VectorXd wanted;
};

Eigen::VectorXd column_of(const std::string& name, std::span<const Setting> settings, Scale scale) {
  Eigen::VectorXd column(static_cast<Eigen::Index>(settings.size()));
  for (std::size_t i = 0; i < settings.size(); ++i)
    column[static_cast<Eigen::Index>(i)] = scale(settings[i].at(name));
  return column;
}

Placed placed(std::span<const Setting> settings, const Setting& wanted, Scale scale) {
  Placed placed;
  for (const auto& [name, value] : wanted) {
    const Eigen::VectorXd column = column_of(name, settings, scale);
    const double middle = column.mean();
    const Eigen::VectorXd distances = column.array() - middle;
    if (column.maxCoeff() == column.minCoeff()) continue;
    const double unit = distances.cwiseAbs().maxCoeff();
    const Eigen::Index count = placed.wanted.size();
    placed.names.push_back(name);
    placed.settings.conservativeResize(column.size(), count + 1);
    placed.settings.col(count) = distances / unit;
    placed.wanted.conservativeResize(count + 1);
    placed.wanted[count] = (scale(value) - middle) / unit;
  }
  return placed;
}

/// The names along directions in which the settings do not differ, and `wanted` does.
std::set<std::string> not_apart(const Placed& placed) {
  constexpr double same = 0.02;      // rounded sizes lie about a line, too
  constexpr double different = 0.1;  // of the distance of the settings: on the line or near it
  constexpr double has_part = 0.1;
  std::set<std::string> names;
  if (placed.names.empty()) return names;
  const Eigen::JacobiSVD<Eigen::MatrixXd> parts(placed.settings, Eigen::ComputeFullV);
  for (Eigen::Index i = 0; i < placed.wanted.size(); ++i) {
    const Eigen::VectorXd direction = parts.matrixV().col(i);
    const bool differs = i < parts.singularValues().size() && parts.singularValues()[i] > same;
    if (differs || std::abs(direction.dot(placed.wanted)) <= different) continue;
    for (Eigen::Index j = 0; j < direction.size(); ++j)
      if (std::abs(direction[j]) > has_part) names.insert(placed.names[static_cast<std::size_t>(j)]);
  }
  return names;
}

}  // namespace

std::vector<std::string> confounded(std::span<const Setting> settings, const Setting& wanted) {
  const Scale factors = [](double value) { return std::log(value); };
  const Scale summands = [](double value) { return value; };
  std::set<std::string> names = not_apart(placed(settings, wanted, factors));
  if (names.empty()) names = not_apart(placed(settings, wanted, summands));
  return {names.begin(), names.end()};
}

}  // namespace loadshare::scaling
