#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace loadshare::timing_graph {

/// Where a part of a graph comes from, for errors and tables.
struct Place {
  std::shared_ptr<const std::string> source;  ///< a file, or of a profile the call's place in the program
  int line = 0;                               ///< from 1; 0: `source` says it all
  int column = 0;
};

/// `ring.yaml:12:7`; empty without a source.
std::string text_of(const Place& place);

/// A formula as a person writes it, in the parameters of its graph, `p`, `rank` and the variables of the
/// loops around it: `8 * n / p`. Operators + - * / % ^, comparisons, && || and `condition ? a : b`; functions
/// floor, ceil, round, mod, abs, min, max, sqrt, exp, ln, log2, log10.
struct Expression {
  std::string text;
  Place place;
};

/// A number as an expression: the shortest text that reads back as `value`.
Expression constant(double value, Place place = {});

/// `ring.yaml:12:7: problem (why); suggestion`.
UsageError problem_at(const Place& place, std::string_view problem, std::string_view why = {},
                      std::string_view suggestion = {});

/// ` at ring.yaml:12:7`, for a second place in a sentence; empty without one.
std::string behind(const Place& place);

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

/// An expression made ready to be evaluated many times. It is computed again only after a variable it uses
/// got another value.
class CompiledExpression final {
 public:
  /// `scope` outlives this. Throws UsageError with the expression's place: bad syntax, an unknown name.
  CompiledExpression(const Expression& expression, const Scope& scope);
  ~CompiledExpression();
  CompiledExpression(CompiledExpression&&) noexcept;
  CompiledExpression& operator=(CompiledExpression&&) noexcept;

  /// With the values that the scope has now. Throws UsageError, with those values, where it divides by zero
  /// (even if the quotient is not seen in the result) or is no finite number.
  double value();
  /// A value that counts, bytes or seconds: not negative; `what` names it in the error.
  double not_negative(const std::string& what);
  /// The size of a message: not negative either, and small enough to be added up.
  double bytes();
  /// A whole number from `least` to `most`.
  std::int64_t whole(const std::string& what, std::int64_t least, std::int64_t most);

 private:
  struct Machine;

  double computed();
  void compile(const Scope& scope);
  [[noreturn]] void refuse(const std::string& what, double value, const std::string& why) const;
  UsageError problem(const char* what, const std::string& why) const;
  std::string used_values() const;

  Expression expression_;
  std::unique_ptr<Machine> machine_;  ///< none: a plain number
  std::vector<const Variable*> used_;
  double value_ = 0;
  std::uint64_t computed_at_ = 0;  ///< 0: never
};

}  // namespace loadshare::timing_graph
