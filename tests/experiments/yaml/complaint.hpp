#pragma once

#include <string>

#include "base/error.hpp"

namespace loadshare::yaml {

/// What the UsageError says that `action` throws; "(none)" where it throws none.
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
