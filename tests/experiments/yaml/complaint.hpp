#pragma once

#include <string>

#include "base/error.hpp"

namespace loadshare::yaml {

/// Returns the text of the UsageError that `action` throws; "(none)" if it throws none.
template <typename Action>
std::string complaint(const Action& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(none)";
}

}  // namespace loadshare::yaml
