#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/timing_graph/expression.hpp"
#include "models/timing_graph/scope.hpp"
#include "schedulers/error.hpp"

namespace loadshare::timing_graph {

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
