#include "runtime/timing/utc_text.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(UtcText, IsThatOfFiles) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(1'769'860'805), "2026-01-31T12:00:05Z");
}

}  // namespace
}  // namespace loadshare
