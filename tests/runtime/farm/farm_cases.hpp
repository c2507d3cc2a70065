#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/farm/squares.hpp"

namespace loadshare::test {

/// One way of setting up a farm and its data.
struct FarmCase {
  std::string name;
  FarmOptions options = {};
  Index iterations = 100;
  std::size_t width = 3;
  std::size_t shared_doubles = 2500;
  Memory memory = Memory::farm;
  std::size_t piece_doubles = 1000;
  Index at_once = 1;
};

inline void PrintTo(const FarmCase& farm_case, std::ostream* out) {
  *out << farm_case.name;
}

/// Every iteration's result is right and was committed once, and the record tells of all of them.
inline void run_and_check(Farm& farm, const FarmCase& farm_case) {
  Squares squares(farm, farm_case.iterations, farm_case.width, farm_case.shared_doubles, farm_case.memory);
  squares.piece_doubles = farm_case.piece_doubles;
  squares.at_once = farm_case.at_once;
  const RunRecord record = farm.run(squares);
  if (!farm.is_master()) return;
  EXPECT_EQ(squares.first_wrong(), -1);
  Index computed = 0;
  for (const RankRecord& rank : record.ranks) computed += rank.iterations;
  EXPECT_EQ(computed, farm_case.iterations);
  EXPECT_EQ(record.iterations, farm_case.iterations);
  EXPECT_EQ(record.workers, farm.workers());
}
inline void run_and_check(const FarmCase& farm_case) {
  Farm farm(farm_case.options);
  run_and_check(farm, farm_case);
}

/// All but the iteration that fails is computed, and the record says which one that was.
inline void expect_one_left_out(Farm& farm, const FarmCase& farm_case, Index fails_at) {
  Squares squares(farm, farm_case.iterations, farm_case.width, farm_case.shared_doubles, farm_case.memory);
  squares.piece_doubles = farm_case.piece_doubles;
  squares.fail_at = fails_at;
  const RunRecord record = farm.run(squares);
  if (!farm.is_master()) return;
  EXPECT_EQ(squares.first_wrong(fails_at), -1);
  ASSERT_EQ(record.skipped.size(), 1u);
  EXPECT_EQ(record.skipped[0].iteration, fails_at);
  EXPECT_THAT(record.skipped[0].reason, testing::HasSubstr("is unlucky"));
}

/// An idle worker's copy of the late worker's chunk ends the run, and the late result is never seen.
inline void expect_copy_to_win(const FarmOptions& options, WorkerId late) {
  Farm farm(options);
  if (farm.workers() < 2) return;  // a copy needs a second one
  Squares squares(farm, 8, 3, 2500, Memory::farm);
  squares.late_worker = late;
  squares.sleep_s = 5e-3;  // long enough for the late worker to have begun
  RunRecord record = farm.run(squares);
  if (!farm.is_master()) return;
  EXPECT_EQ(squares.first_wrong(), -1);
  EXPECT_LT(record.makespan_s, Squares::late_s);
  EXPECT_EQ(record.chunks_total, 8);
  ASSERT_TRUE(record.reissue);
  EXPECT_GE(record.reissue->saved[late], 1);
  std::this_thread::sleep_for(std::chrono::duration<double>(Squares::late_s));
  EXPECT_EQ(squares.first_wrong(), -1) << "it was written when the run was over";
}

/// The run ends with this exit code and a message that holds these texts, on every rank.
inline void expect_failure(Farm& farm, Workload& workload, ExitCode code,
                           const std::vector<std::string>& texts, const RunControls& controls = {}) {
  try {
    farm.run(workload, controls);
    FAIL() << "the failure was lost";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    for (const std::string& text : texts) EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

}  // namespace loadshare::test
