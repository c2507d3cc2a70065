#include "models/timing_graph/scope.hpp"

#include <algorithm>

namespace loadshare::timing_graph {

Variable& Scope::enter(const std::string& name) {
  variables_.push_back(std::make_unique<Variable>(Variable{name}));
  visible_.push_back(variables_.back().get());
  return *variables_.back();
}

bool Scope::sees(const std::string& name) const {
  return std::ranges::find(visible_, name, &Variable::name) != visible_.end();
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names;
  for (const Variable* variable : visible_) names.push_back(variable->name);
  return names;
}

void Scope::set(Variable& variable, double value) {
  if (variable.value == value) return;
  variable.value = value;
  variable.changed_at = ++now_;
}

}  // namespace loadshare::timing_graph
