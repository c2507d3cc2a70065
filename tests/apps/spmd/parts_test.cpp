#include "apps/spmd/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::spmd {
namespace {

using ::testing::ElementsAre;

TEST(Parts, LongerOnesComeFirst) {
  EXPECT_EQ(part_of(10, 4, 0), (Part{0, 3}));
  EXPECT_EQ(part_of(10, 4, 1), (Part{3, 3}));
  EXPECT_EQ(part_of(10, 4, 2), (Part{6, 2}));
  EXPECT_EQ(part_of(10, 4, 3), (Part{8, 2}));
  EXPECT_THAT(part_sizes(10, 4, 5), ElementsAre(15, 15, 10, 10));
}

TEST(Parts, SomeAreEmptyIfThereIsTooLittle) {
  EXPECT_THAT(part_sizes(2, 4), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(part_sizes(0, 2), ElementsAre(0, 0));
}

TEST(Parts, CoverEverythingOnce) {
  for (Index size = 1; size < 40; ++size)
    for (Index parts = 1; parts < 12; ++parts) {
      Index next = 0;
      for (Index index = 0; index < parts; ++index) {
        const Part part = part_of(size, parts, index);
        EXPECT_EQ(part.first, next);
        EXPECT_LE(part.size, longest_part(size, parts));
        for (Index element = part.first; element < part.end(); ++element)
          EXPECT_EQ(owner_of(size, parts, element), index) << element << " of " << size << " in " << parts;
        next = part.end();
      }
      EXPECT_EQ(next, size);
    }
}

}  // namespace
}  // namespace loadshare::spmd
