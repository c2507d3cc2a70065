#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace loadshare {

/// What the UsageError says that `action` throws; fails the test where it throws none.
std::string error_of(const auto& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

/// The text of the exception that `action` throws, of any type; fails the test if it throws none.
std::string thrown_text(const auto& action) {
  try {
    action();
  } catch (...) {
    return current_what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace loadshare
