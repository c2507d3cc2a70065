#pragma once

#include <exception>

namespace loadshare::test {

/// An exception of a user whose what() is null.
struct NoText final : std::exception {
  const char* what() const noexcept override { return nullptr; }
};

}  // namespace loadshare::test
