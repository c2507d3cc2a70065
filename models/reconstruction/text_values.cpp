#include "models/reconstruction/text_values.hpp"

#include "models/timing_graph/compiled_expression.hpp"
#include "models/timing_graph/scope.hpp"
#include "schedulers/error.hpp"

namespace loadshare::reconstruction {

namespace {

using timing_graph::Scope;
using timing_graph::Variable;

/// The names that expressions of a rebuilt graph may use, with the values of one sighting after the other.
class Names {
 public:
  explicit Names(const Sighting& first) {
    for (const auto& [name, value] : *first.setting) parameters_.emplace_back(name, &scope_.enter(name));
    rank_ = &scope_.enter("rank");
    for (std::size_t depth = 0; depth < first.counters.size(); ++depth)
      counters_.push_back(&scope_.enter(loop_variable(depth)));
  }

  void take(const Sighting& seen) {
    for (const auto& [name, variable] : parameters_) scope_.set(*variable, seen.setting->at(name));
    scope_.set(*rank_, seen.rank);
    for (std::size_t depth = 0; depth < counters_.size(); ++depth)
      scope_.set(*counters_[depth], seen.counters[depth]);
  }

  const Scope& scope() const { return scope_; }

 private:
  Scope scope_;
  std::vector<std::pair<std::string, Variable*>> parameters_;
  Variable* rank_ = nullptr;
  std::vector<Variable*> counters_;
};

}  // namespace

std::optional<std::vector<double>> values_of_text(const std::string& text,
                                                  std::span<const Sighting> sightings) {
  try {
    Names names(sightings.front());
    timing_graph::CompiledExpression expression({text, {}}, names.scope());
    std::vector<double> values;
    for (const Sighting& seen : sightings) {
      names.take(seen);
      values.push_back(expression.value());
    }
    return values;
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

}  // namespace loadshare::reconstruction
