// Tests with an OpenBLAS that takes every processor for a Prescott: fake_openblas.cpp, which the loader finds
// first.
#include <gtest/gtest.h>

#include <cstdlib>

#include "apps/common/blas/library.hpp"

namespace loadshare::blas {
namespace {

const Processor avx512{
    "", {"pni", "avx", "avx2", "fma", "avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}};

struct OpenBlasThatDoesNotKnowTheProcessor : ::testing::Test {
  OpenBlasThatDoesNotKnowTheProcessor() { unsetenv("OPENBLAS_CORETYPE"); }
};

TEST_F(OpenBlasThatDoesNotKnowTheProcessor, IsLoadedWithTheRightType) {
  ASSERT_EQ(Library(Family::openblas).core(), "Prescott");
  const OpenBlas loaded = load_openblas(avx512);
  EXPECT_EQ(loaded.library.core(), "SkylakeX");
  EXPECT_EQ(loaded.library.description(), "OpenBLAS 0.0.1 FAKE SkylakeX");
  EXPECT_EQ(loaded.note, "");
  EXPECT_EQ(asked_core_type(), std::nullopt);
}

TEST_F(OpenBlasThatDoesNotKnowTheProcessor, IsKeptOnAnOldProcessor) {
  const OpenBlas loaded = load_openblas({"", {"pni"}});
  EXPECT_EQ(loaded.library.core(), "Prescott");
  EXPECT_EQ(loaded.note, "");
}

TEST_F(OpenBlasThatDoesNotKnowTheProcessor, IsLoadedWithTheRightTypeIfItIgnoresARequest) {
  setenv("OPENBLAS_CORETYPE", "Cooperlake", 1);
  const OpenBlas loaded = load_openblas(avx512);
  EXPECT_EQ(asked_core_type(), "Cooperlake");
  unsetenv("OPENBLAS_CORETYPE");
  EXPECT_EQ(loaded.library.core(), "SkylakeX");
}

TEST_F(OpenBlasThatDoesNotKnowTheProcessor, IsNotedIfItIgnoresTheRightType) {
  setenv("OPENBLAS_IS_DEAF", "1", 1);
  const OpenBlas loaded = load_openblas(avx512);
  unsetenv("OPENBLAS_IS_DEAF");
  EXPECT_EQ(loaded.library.core(), "Prescott");
  EXPECT_EQ(
      loaded.note,
      "OpenBLAS 0.0.1 takes this processor for a Prescott, which is slow: set OPENBLAS_CORETYPE=SkylakeX");
}

}  // namespace
}  // namespace loadshare::blas
