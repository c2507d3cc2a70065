#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace loadshare {

/// Exit codes of every program of the project.
enum class ExitCode : int {
  good = 0,
  run_failed = 1,    ///< the run or its verification failed
  usage = 2,         ///< wrong usage or configuration, bad input files
  workers_lost = 3,  ///< workers lost, and the run could not finish
  drained = 4,       ///< ended early on request; the journal contains the finished results
  interrupted = 130,
};

/// The text of an error: what is wrong, and, if known, why and what to do about it.
struct ErrorText {
  std::string problem;
  std::string why;
  std::string suggestion;

  /// Returns `problem (why); suggestion` in one line, for files and programs. Empty parts are left out.
  std::string in_one_line() const {
    return problem + (why.empty() ? "" : " (" + why + ")") + (suggestion.empty() ? "" : "; " + suggestion);
  }
  /// Returns each part on a line of its own, for people.
  std::string in_lines() const {
    return problem + (why.empty() ? "" : "\n  why:  " + why) +
           (suggestion.empty() ? "" : "\n  hint: " + suggestion);
  }
};

/// An error that a person reads. what() returns its text in one line.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, std::string_view problem, std::string_view why = {}, std::string_view suggestion = {})
      : Error(code, ErrorText{std::string(problem), std::string(why), std::string(suggestion)}) {}
  Error(ExitCode code, ErrorText text)
      : std::runtime_error(text.in_one_line()), code_(code), text_(std::move(text)) {}

  ExitCode code() const { return code_; }
  const ErrorText& text() const { return text_; }

 private:
  ExitCode code_;
  ErrorText text_;
};

/// Wrong usage, configuration or input; exit code 2.
class UsageError final : public Error {
 public:
  explicit UsageError(std::string_view problem, std::string_view why = {}, std::string_view suggestion = {})
      : Error(ExitCode::usage, problem, why, suggestion) {}
};

/// Returns the text of an exception, or a default if it has none: a user's `what()` may even be null.
inline std::string what_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory";
  const char* text = error.what();
  return text != nullptr && *text != '\0' ? text : "an exception without a text";
}

/// Returns the text of the exception being handled, of any type. Call it only within a `catch` block.
inline std::string current_what() {
  try {
    throw;
  } catch (const std::exception& error) {
    return what_of(error);
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace loadshare
