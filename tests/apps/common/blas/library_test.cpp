#include "apps/common/blas/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "base/error.hpp"

namespace loadshare::blas {
namespace {

using ::testing::HasSubstr;

/// Multiplies 2 x 2 matrices with each of its functions.
void expect_right(const Library& library) {
  const std::array<double, 4> a{1, 2, 3, 4};
  std::array<double, 4> c{};
  library.dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a.data(), 2, a.data(), 2, 0, c.data(),
                2);
  EXPECT_EQ(c, (std::array<double, 4>{7, 10, 15, 22}));
  const std::array<float, 4> b{1, 2, 3, 4};
  std::array<float, 4> d{};
  library.sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, b.data(), 2, b.data(), 2, 0, d.data(),
                2);
  EXPECT_EQ(d, (std::array<float, 4>{7, 10, 15, 22}));
}

TEST(Library, MultipliesWithTheRequestedKernels) {
  for (const char* core : {"Prescott", "Nehalem"}) {
    const Library library(Family::openblas, core);
    EXPECT_EQ(library.core(), core);
    EXPECT_THAT(library.version(), ::testing::MatchesRegex("OpenBLAS [0-9.]+"));
    EXPECT_THAT(library.description(), HasSubstr(core));
    expect_right(library);
  }
}

TEST(Library, LeavesTheEnvironmentAsItWas) {
  setenv("OPENBLAS_CORETYPE", "Nehalem", 1);
  EXPECT_EQ(Library(Family::openblas, "Prescott").core(), "Prescott");
  EXPECT_EQ(asked_core_type(), "Nehalem");
  EXPECT_EQ(Library(Family::openblas).core(), "Nehalem");
  unsetenv("OPENBLAS_CORETYPE");
  EXPECT_EQ(Library(Family::openblas, "Prescott").core(), "Prescott");
  EXPECT_EQ(asked_core_type(), std::nullopt);
}

TEST(Library, UsesTheRequestedNumberOfThreads) {
  const Library library(Family::openblas);
  library.set_threads(1);
  EXPECT_EQ(library.threads(), 1);
}

TEST(OpenBlas, NotesABetterTypeThanTheRequestedOne) {
  setenv("OPENBLAS_CORETYPE", "Prescott", 1);
  const OpenBlas loaded = load_openblas({"a new one", {"pni", "avx", "avx2", "fma"}});
  unsetenv("OPENBLAS_CORETYPE");
  EXPECT_EQ(loaded.library.core(), "Prescott");
  EXPECT_EQ(loaded.note,
            loaded.library.version() +
                " runs its Prescott kernels, as OPENBLAS_CORETYPE asks: OPENBLAS_CORETYPE=Haswell would "
                "suit this processor");
}

TEST(OpenBlas, RefusesKernelsThatTheProcessorCannotRun) {
  // Only AMD's processors of 2011 to 2016 have these instructions.
  if (!missing_instruction(Family::openblas, "Bulldozer", this_processor())) GTEST_SKIP() << "this one can";
  setenv("OPENBLAS_CORETYPE", "Bulldozer", 1);
  try {
    require_instructions(Family::openblas, *asked_core_type());
    ADD_FAILURE() << "must throw";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("kernels 'Bulldozer' cannot run here (this processor has no fma4); "));
  }
  unsetenv("OPENBLAS_CORETYPE");
}

TEST(OpenBlas, RefusesAnUnknownCoreType) {
  setenv("OPENBLAS_CORETYPE", "Skylake", 1);
  try {
    require_core_type();
    ADD_FAILURE() << "must throw";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown OPENBLAS_CORETYPE 'Skylake' (valid: "));
  }
  for (const char* known : {"prescott", "SapphireRapids", ""}) {
    setenv("OPENBLAS_CORETYPE", known, 1);
    EXPECT_NO_THROW(require_core_type());
  }
  unsetenv("OPENBLAS_CORETYPE");
}

}  // namespace
}  // namespace loadshare::blas
