#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loadshare::timing_graph {

/// A name and the value it has now. `changed_at` tells expressions whether they are still up to date.
struct Variable {
  std::string name;
  double value = 0;
  std::uint64_t changed_at = 1;
};

/// The variables that expressions can see: parameters, then those of the loops around. They keep their
/// addresses.
class Scope final {
 public:
  /// Makes `name` visible until it is left; it must not be visible yet.
  Variable& enter(const std::string& name);
  void leave() { visible_.pop_back(); }

  bool sees(const std::string& name) const;
  const std::vector<Variable*>& visible() const { return visible_; }
  std::vector<std::string> names() const;

  void set(Variable& variable, double value);

 private:
  std::vector<std::unique_ptr<Variable>> variables_;
  std::vector<Variable*> visible_;
  std::uint64_t now_ = 1;
};

}  // namespace loadshare::timing_graph
