#include "models/program/timing_graph/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::timing_graph {
namespace {

constexpr int watched_flags = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
constexpr double most_bytes = 1e15;

double modulo(double a, double b) {
  return a - b * std::floor(a / b);
}

/// The parser would let an expression set a variable.
bool has_assignment(const std::string& text) {
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    const bool ends_comparison = at > 0 && std::string("=<>!").find(text[at - 1]) != std::string::npos;
    const bool begins_comparison = at + 1 < text.size() && text[at + 1] == '=';
    if (!ends_comparison && !begins_comparison) return true;
  }
  return false;
}

void define_functions(mu::Parser& parser) {
  parser.DefineFun("floor", [](double x) { return std::floor(x); });
  parser.DefineFun("ceil", [](double x) { return std::ceil(x); });
  parser.DefineFun("round", [](double x) { return std::round(x); });
  parser.DefineFun("mod", modulo);
  parser.DefineOprt("%", modulo, mu::prMUL_DIV, mu::oaLEFT);
  // Folded at once, 1/0 would raise its flag where nobody looks.
  parser.EnableOptimizer(false);
}

/// One flag is raised by both.
const char* zero_problem(const std::string& text) {
  const bool has_logarithm = text.find("log") != std::string::npos || text.find("ln(") != std::string::npos;
  return has_logarithm ? " divides by zero or takes the logarithm of 0" : " divides by zero";
}

UsageError syntax_problem(const Expression& expression, const mu::ParserError& error, const Scope& scope) {
  const std::string shown = fmt::format("'{}'", expression.text);
  if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN) {
    const std::vector<std::string> names = scope.names();
    return problem_at(expression.place, fmt::format("unknown name '{}' in {}", error.GetToken(), shown),
                      fmt::format("known: {}", list_names(names)), did_you_mean(error.GetToken(), names));
  }
  return problem_at(expression.place, fmt::format("{} is not an expression", shown), error.GetMsg());
}

}  // namespace

std::string text_of(const Place& place) {
  if (!place.source) return {};
  if (place.line == 0) return *place.source;
  return fmt::format("{}:{}:{}", *place.source, place.line, place.column);
}

Expression constant(double value, Place place) {
  return {fmt::format("{}", value), std::move(place)};
}

UsageError problem_at(const Place& place, std::string_view problem, std::string_view why,
                      std::string_view suggestion) {
  const std::string where = text_of(place);
  return UsageError(where.empty() ? std::string(problem) : fmt::format("{}: {}", where, problem), why,
                    suggestion);
}

std::string behind(const Place& place) {
  const std::string text = text_of(place);
  return text.empty() ? text : " at " + text;
}

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

struct CompiledExpression::Machine {
  mu::Parser parser;
};

CompiledExpression::CompiledExpression(const Expression& expression, const Scope& scope)
    : expression_(expression) {
  const auto number = parse_number(expression.text);
  if (number) {
    value_ = *number;
    computed_at_ = 1;
    return;
  }
  compile(scope);
}

CompiledExpression::~CompiledExpression() = default;
CompiledExpression::CompiledExpression(CompiledExpression&&) noexcept = default;
CompiledExpression& CompiledExpression::operator=(CompiledExpression&&) noexcept = default;

void CompiledExpression::compile(const Scope& scope) {
  if (has_assignment(expression_.text))
    throw problem_at(expression_.place, fmt::format("'{}' is not an expression", expression_.text),
                     "it has a single =", "compare with ==");
  machine_ = std::make_unique<Machine>();
  mu::Parser& parser = machine_->parser;
  try {
    define_functions(parser);
    for (Variable* variable : scope.visible()) parser.DefineVar(variable->name, &variable->value);
    parser.SetExpr(expression_.text);
    for (const auto& [name, address] : parser.GetUsedVar())
      if (!scope.sees(name)) throw mu::ParserError(mu::ecUNASSIGNABLE_TOKEN, name);
    for (const auto& [name, address] : parser.GetUsedVar())
      used_.push_back(*std::ranges::find(scope.visible(), address, [](Variable* v) { return &v->value; }));
  } catch (const mu::ParserError& error) {
    throw syntax_problem(expression_, error, scope);
  }
}

double CompiledExpression::value() {
  const auto is_current = [this](const Variable* variable) { return variable->changed_at <= computed_at_; };
  if (computed_at_ != 0 && std::ranges::all_of(used_, is_current)) return value_;
  value_ = computed();
  computed_at_ = 1;
  for (const Variable* variable : used_) computed_at_ = std::max(computed_at_, variable->changed_at);
  return value_;
}

double CompiledExpression::computed() {
  int results = 0;
  std::feclearexcept(watched_flags);
  double value = 0;
  try {
    value = machine_->parser.Eval(results)[results - 1];
  } catch (const mu::ParserError& error) {
    throw problem(" is not an expression", error.GetMsg());
  }
  const int raised = std::fetestexcept(watched_flags);
  if (results != 1) throw problem(" is not an expression", "it has several values");
  if ((raised & FE_DIVBYZERO) != 0) throw problem(zero_problem(expression_.text), used_values());
  if ((raised & FE_INVALID) != 0 || std::isnan(value)) throw problem(" is not a number", used_values());
  if ((raised & FE_OVERFLOW) != 0 || std::isinf(value)) throw problem(" is too large", used_values());
  return value;
}

UsageError CompiledExpression::problem(const char* what, const std::string& why) const {
  return problem_at(expression_.place, fmt::format("'{}'{}", expression_.text, what), why);
}

double CompiledExpression::not_negative(const std::string& what) {
  const double result = value();
  if (result < 0) refuse(what, result, "it must not be negative");
  return result;
}

double CompiledExpression::bytes() {
  const double result = not_negative("bytes");
  if (result > most_bytes) refuse("bytes", result, fmt::format("it must be at most {}", most_bytes));
  return result;
}

std::int64_t CompiledExpression::whole(const std::string& what, std::int64_t least, std::int64_t most) {
  const double result = value();
  if (result != std::floor(result)) refuse(what, result, "it must be a whole number");
  if (result < static_cast<double>(least) || result > static_cast<double>(most))
    refuse(what, result, fmt::format("it must be from {} to {}", least, most));
  return static_cast<std::int64_t>(result);
}

void CompiledExpression::refuse(const std::string& what, double value, const std::string& why) const {
  const std::string values = used_values();
  const std::string formula = machine_ ? fmt::format(" = {}", expression_.text) : std::string();
  throw problem_at(expression_.place, fmt::format("{}{} is {}", what, formula, value),
                   values.empty() ? why : fmt::format("{}; {}", why, values));
}

std::string CompiledExpression::used_values() const {
  std::vector<std::string> values;
  for (const Variable* variable : used_)
    values.push_back(fmt::format("{}={}", variable->name, variable->value));
  return list_names(values);
}

}  // namespace loadshare::timing_graph
