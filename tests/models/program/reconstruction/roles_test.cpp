#include "models/program/reconstruction/roles.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "tests/models/program/reconstruction/made_runs.hpp"

namespace loadshare::reconstruction {
namespace {

using testing::SizeIs;

/// Values are passed along a line of ranks.
ProfiledRun line_run(double p) {
  MadeRun run(1000, p);
  run.each_rank([&](Trace& trace) {
    if (trace.rank > 0) trace.elements.push_back(receive(trace.rank - 1));
    if (trace.rank < p - 1) trace.elements.push_back(send(trace.rank + 1, 8));
  });
  return run.built();
}

/// Rank 0 gathers from all others.
ProfiledRun star_run(double p) {
  MadeRun run(1000, p);
  run.each_rank([&](Trace& trace) {
    if (trace.rank > 0) {
      trace.elements.push_back(send(0, 8));
    } else {
      for (int from = 1; from < static_cast<int>(p); ++from) trace.elements.push_back(receive(from));
    }
  });
  return run.built();
}

TEST(RolesTest, AreOneIfAllRanksDoTheSame) {
  const std::vector<ProfiledRun> runs{ring_run(2000, 2), ring_run(4000, 4)};
  const std::vector<Role> roles = roles_of(runs);
  ASSERT_THAT(roles, SizeIs(1));
  EXPECT_EQ(roles[0].first, "0");
  EXPECT_EQ(roles[0].last, "p - 1");
  EXPECT_THAT(roles[0].members, SizeIs(6));
}

TEST(RolesTest, SeparateTheFirstAndTheLast) {
  const std::vector<ProfiledRun> runs{line_run(2), line_run(3), line_run(5)};
  const std::vector<Role> roles = roles_of(runs);
  ASSERT_THAT(roles, SizeIs(3));
  EXPECT_EQ(roles[0].last, "0");
  EXPECT_EQ(roles[1].first, "1");
  EXPECT_EQ(roles[1].last, "p - 2");
  EXPECT_EQ(roles[2].first, "p - 1");
  EXPECT_THAT(roles[1].members, SizeIs(0 + 1 + 3));
}

/// Ranks 0 and 1 do something of their own, the others a third.
ProfiledRun headed_run(double p) {
  MadeRun run(1000, p);
  run.each_rank([&](Trace& trace) {
    trace.elements.push_back(collective("barrier", 0));
    trace.elements.back().site = std::to_string(std::min(trace.rank, 2));
  });
  return run.built();
}

TEST(RolesTest, FitNoRunSmallerThanTheirBounds) {
  EXPECT_THAT(roles_of(std::vector<ProfiledRun>{headed_run(2), headed_run(8)}), SizeIs(3));
  try {
    roles_of(std::vector<ProfiledRun>{headed_run(1), headed_run(8)});
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "made 1000 1 has too few ranks for the 3 groups of ranks that do different things (only "
                 "what the runs have in common can be predicted); leave it out");
  }
}

TEST(RolesTest, FitARunWithoutLoopRounds) {
  const std::vector<ProfiledRun> runs{star_run(2), star_run(4)};
  const std::vector<Role> roles = roles_of(runs);
  ASSERT_THAT(roles, SizeIs(2));
  EXPECT_EQ(roles[0].members[0].meetings[0][0].times, 1);
  EXPECT_EQ(roles[0].members[1].meetings[0][0].times, 3);
  EXPECT_EQ(roles[1].first, "1");
  EXPECT_EQ(roles[1].last, "p - 1");
}

TEST(RolesTest, RefuseADifferentRun) {
  MadeRun other(1000, 2);
  other.each_rank([](Trace& trace) { trace.elements.push_back(collective("bcast", 8)); });
  const std::vector<ProfiledRun> runs{other.built(), ring_run(3000, 4)};
  try {
    roles_of(runs);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "made 1000 2: rank 0 does something different from the same rank in other runs: call 1, "
                 "bcast (only what the runs have in common can be predicted); give runs of one program whose "
                 "options differ only in size and ranks");
  }
}

TEST(RolesTest, RefuseTooManyDifferentRanks) {
  MadeRun run(1000, 8);
  run.each_rank([](Trace& trace) {
    for (int i = 0; i < trace.rank; ++i) {
      Element& step = trace.elements.emplace_back(collective("bcast", 8));
      step.site = std::to_string(i);
    }
  });
  const std::vector<ProfiledRun> runs{run.built()};
  try {
    roles_of(runs);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "the ranks of made 1000 8 do 8 different things (up to 6 groups of neighbours can be predicted for "
        "other numbers of ranks)");
  }
}

}  // namespace
}  // namespace loadshare::reconstruction
