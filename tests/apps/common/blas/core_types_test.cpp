#include "apps/common/blas/core_types.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::blas {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::Optional;

// The relevant parts of /proc/cpuinfo.
constexpr const char* pentium_4 = "model name\t: Intel(R) Pentium(R) 4\nflags\t\t: fpu sse sse2 ht pni\n";
constexpr const char* haswell =
    "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz\n"
    "flags\t\t: fpu sse sse2 pni ssse3 fma sse4_1 sse4_2 avx f16c bmi1 avx2 bmi2\n";
constexpr const char* zen_3 =
    "model name\t: AMD EPYC 7763 64-Core Processor\n"
    "flags\t\t: fpu sse sse2 pni ssse3 fma sse4_1 sse4_2 avx sse4a avx2 vaes\n";
constexpr const char* zen_5 =
    "model name\t: AMD EPYC\n"
    "flags\t\t: sse sse2 pni ssse3 fma sse4_1 sse4_2 avx sse4a avx2 avx512f avx512dq avx512ifma avx512cd "
    "avx512bw "
    "avx512vl avx_vnni avx512_bf16\n";
constexpr const char* granite_rapids =
    "model name\t: Intel(R) Xeon(R) 6975P-C\n"
    "flags\t\t: sse sse2 pni ssse3 fma sse4_1 sse4_2 avx avx2 avx512f avx512dq avx512cd avx512bw avx512vl "
    "avx512_bf16 amx_bf16 avx512_fp16 amx_tile amx_int8\n\nmodel name\t: another\nflags\t\t: none\n";
// A variant of AVX-512 on which Skylake's kernels cannot run.
constexpr const char* knights_landing =
    "model name\t: Intel(R) Xeon Phi(TM) CPU 7250\n"
    "flags\t\t: sse sse2 pni ssse3 fma sse4_1 sse4_2 avx avx2 avx512f avx512pf avx512er avx512cd\n";

std::optional<std::string> better(const char* running, const char* cpuinfo) {
  return better_core_type(running, parse_processor(cpuinfo));
}

TEST(Processor, IsTheFirstOfTheFile) {
  const Processor processor = parse_processor(granite_rapids);
  EXPECT_EQ(processor.name, "Intel(R) Xeon(R) 6975P-C");
  EXPECT_THAT(processor.flags, Contains("amx_tile"));
  EXPECT_THAT(processor.flags, Not(Contains("none")));
}

TEST(Processor, IsUnknownOnAnotherArchitecture) {
  const Processor processor = parse_processor("processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n");
  EXPECT_EQ(processor.name, "");
  EXPECT_THAT(allowed_core_types(Family::openblas, processor), ElementsAre());
  EXPECT_EQ(better_core_type("neoversen1", processor), std::nullopt);
}

TEST(BetterCoreType, SuitsAProcessorThatIsTakenForAnotherOne) {
  EXPECT_THAT(better("Prescott", granite_rapids), Optional<std::string>("SkylakeX"));
  EXPECT_THAT(better("Haswell", granite_rapids), Optional<std::string>("SkylakeX"));
  EXPECT_THAT(better("Prescott", zen_5), Optional<std::string>("SkylakeX"));
  EXPECT_THAT(better("Nehalem", zen_3), Optional<std::string>("Haswell"));
  EXPECT_THAT(better("prescott", haswell), Optional<std::string>("Haswell"));
}

TEST(BetterCoreType, IsEmptyIfVectorsAreAsWideAsTheProcessors) {
  EXPECT_EQ(better("SkylakeX", granite_rapids), std::nullopt);
  EXPECT_EQ(better("Cooperlake", zen_5), std::nullopt);
  EXPECT_EQ(better("Zen", zen_3), std::nullopt);
  EXPECT_EQ(better("Zen", haswell), std::nullopt);
  EXPECT_EQ(better("Haswell", knights_landing), std::nullopt);
  EXPECT_EQ(better("Prescott", pentium_4), std::nullopt);
}

TEST(BetterCoreType, IsEmptyForUnknownKernels) {
  EXPECT_EQ(better("DiamondRapids", granite_rapids), std::nullopt);
}

TEST(AllowedCoreTypes, AreThoseWithAvailableInstructions) {
  const auto of_xeon = allowed_core_types(Family::openblas, parse_processor(granite_rapids));
  EXPECT_EQ(of_xeon.front(), "SapphireRapids");
  const auto of_zen = allowed_core_types(Family::openblas, parse_processor(zen_5));
  EXPECT_THAT(of_zen, ElementsAre("Cooperlake", "SkylakeX", "Haswell", "Zen"));
  EXPECT_THAT(allowed_core_types(Family::openblas, parse_processor(zen_3)),
              ElementsAre("Haswell", "Zen", "Sandybridge"));
  EXPECT_THAT(allowed_core_types(Family::openblas, parse_processor(pentium_4)), ElementsAre("Prescott"));
}

TEST(AllowedCoreTypes, IncludeThoseOfBlis) {
  EXPECT_THAT(allowed_core_types(Family::blis, parse_processor(zen_3)),
              ElementsAre("zen3", "zen2", "zen", "haswell", "sandybridge"));
  EXPECT_EQ(allowed_core_types(Family::blis, parse_processor(zen_5)).front(), "skx");
}

TEST(MissingInstruction, IsTheFirstThatTheProcessorLacks) {
  const auto missing = [](const char* name, const char* cpuinfo, Family family = Family::openblas) {
    return missing_instruction(family, name, parse_processor(cpuinfo));
  };
  EXPECT_THAT(missing("skylakex", zen_3), Optional<std::string>("avx512f"));
  EXPECT_THAT(missing("Bulldozer", haswell), Optional<std::string>("fma4"));
  EXPECT_THAT(missing("skx", zen_3, Family::blis), Optional<std::string>("avx512f"));
  EXPECT_EQ(missing("Haswell", zen_3), std::nullopt);
  EXPECT_EQ(missing("DiamondRapids", zen_3), std::nullopt);
  EXPECT_EQ(missing("SkylakeX", "model name\t: one that tells nothing\n"), std::nullopt);
}

TEST(CoreType, IsKnownInAnyCase) {
  for (const char* name : {"SkylakeX", "skylakex", "PRESCOTT", "Katmai", "Cooperlake"})
    EXPECT_TRUE(is_core_type(name)) << name;
  for (const char* name : {"", "Skylake", "zen7"}) EXPECT_FALSE(is_core_type(name)) << name;
}

TEST(CoreType, IsFollowedByItsOwnKernelsOrAnOldOneByOthers) {
  EXPECT_TRUE(is_followed("haswell", "Haswell"));
  EXPECT_TRUE(is_followed("Katmai", "Prescott"));
  EXPECT_FALSE(is_followed("Cooperlake", "Prescott"));
}

}  // namespace
}  // namespace loadshare::blas
