#include "base/chunk_text.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(ChunkText, ASingleIterationHasOneNumber) {
  EXPECT_EQ(chunk_text("columns", {777, 1}), "column 777");
  EXPECT_EQ(chunk_text("columns", {777, 4}), "columns 777-780");
  EXPECT_EQ(chunk_text("work", {0, 1}), "work 0");
  EXPECT_EQ(numbers_text({777, 1}), "777");
  EXPECT_EQ(numbers_text({0, 2}), "0-1");
}

}  // namespace
}  // namespace loadshare
