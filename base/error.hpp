#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace loadshare {

/// Exit codes of every program of the project.
enum class ExitCode : int {
  good = 0,
  run_failed = 1,    ///< the run or its verification failed
  usage = 2,         ///< wrong usage or configuration, bad input files
  workers_lost = 3,  ///< workers lost, and the run could not finish
  interrupted = 130,
};

/// An error a person reads: `problem (why) suggestion`; empty parts are left out.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, std::string_view problem, std::string_view why = {}, std::string_view suggestion = {})
      : std::runtime_error(compose(problem, why, suggestion)), code_(code) {}

  ExitCode code() const { return code_; }

 private:
  static std::string compose(std::string_view problem, std::string_view why, std::string_view suggestion) {
    std::string text(problem);
    if (!why.empty()) text.append(" (").append(why).append(")");
    if (!suggestion.empty()) text.append(" ").append(suggestion);
    return text;
  }

  ExitCode code_;
};

/// Wrong usage, configuration or input; exit code 2.
class UsageError final : public Error {
 public:
  explicit UsageError(std::string_view problem, std::string_view why = {}, std::string_view suggestion = {})
      : Error(ExitCode::usage, problem, why, suggestion) {}
};

}  // namespace loadshare
