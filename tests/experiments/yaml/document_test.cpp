#include "experiments/yaml/document.hpp"

#include <gtest/gtest.h>

#include "tests/experiments/yaml/complaint.hpp"

namespace loadshare::yaml {
namespace {

TEST(Document, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(complaint([] { load("/nowhere/f.yaml"); }),
            "cannot read '/nowhere/f.yaml' (No such file or directory)");
  EXPECT_EQ(complaint([] { load("/tmp"); }), "cannot read '/tmp' (it is a directory)");
  EXPECT_EQ(complaint([] { load("/dev/zero"); }), "cannot read '/dev/zero' (it is longer than 16 MB)");
  EXPECT_EQ(complaint([] { load("/dev/null"); }), "/dev/null:1:1: nothing is in this file");
}

}  // namespace
}  // namespace loadshare::yaml
