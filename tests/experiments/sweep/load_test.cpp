#include "experiments/sweep/load.hpp"

#include <gtest/gtest.h>

#include "tests/experiments/sweep/sample_sweep.hpp"

namespace loadshare::sweep {
namespace {

constexpr const char* compared =
    "    load: \"on=1s,off=1s,phase=random\"\n"
    "    matrix: {scheduler: [send, gss], master: [works, coordinates]}\n"
    "    compare: scheduler\n";

std::optional<RunLoad> load(const SweepSpec& spec, std::size_t point, Index repetition) {
  return load_of(spec.seed, spec.experiments[0], spec.experiments[0].points[point], repetition);
}

TEST(Load, WhatIsComparedMeetsTheSamePhases) {
  const SweepSpec spec = sweep_of(compared);
  // Points: send works, send coordinates, gss works, gss coordinates.
  EXPECT_EQ(load(spec, 0, 0)->seed, load(spec, 2, 0)->seed);
  EXPECT_NE(load(spec, 0, 0)->seed, load(spec, 1, 0)->seed) << "another value of another axis";
  EXPECT_NE(load(spec, 0, 0)->seed, load(spec, 0, 1)->seed) << "another repetition";
  EXPECT_NE(load(spec, 0, 0)->seed, load(sweep_of(compared, "seed: 2\n"), 0, 0)->seed) << "another seed";
}

TEST(Load, TheSeedIsAlwaysTheSame) {
  const auto drawn = load(sweep_of(compared), 0, 0);
  EXPECT_EQ(drawn->text, "on=1s,off=1s,phase=random,seed=635987453");
}

TEST(Load, WhereNothingIsComparedAllPointsMeetTheSame) {
  const SweepSpec spec = sweep_of("    load: \"on=1s,off=1s,phase=random\"\n    matrix: {size: [1, 2]}\n");
  EXPECT_EQ(load(spec, 0, 3)->seed, load(spec, 1, 3)->seed);
}

TEST(Load, OnlyRandomPhasesGetASeed) {
  for (const char* text :
       {"constant,share=0.5", "on=1s,off=1s,phase=0", "on=1s,off=1s,phase=random,seed=7"}) {
    const auto drawn = load(sweep_of(std::string("    load: \"") + text + "\"\n"), 0, 0);
    EXPECT_EQ(drawn->text, text);
    EXPECT_EQ(drawn->seed, std::nullopt);
  }
}

TEST(Load, MayBeAnAxisAndNone) {
  const SweepSpec spec = sweep_of("    matrix: {load: [none, false, \"constant,share=0.5\"]}\n");
  EXPECT_FALSE(load(spec, 0, 0));
  EXPECT_FALSE(load(spec, 1, 0));
  EXPECT_EQ(load(spec, 2, 0)->text, "constant,share=0.5");
  EXPECT_FALSE(load(sweep_of("    repeat: 1\n"), 0, 0));
}

}  // namespace
}  // namespace loadshare::sweep
