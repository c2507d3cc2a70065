#include "models/predictor/master_processor.hpp"

#include <gtest/gtest.h>

namespace loadshare::predictor {
namespace {

TEST(MasterProcessorTest, ServesOneAfterTheOther) {
  MasterProcessor master;
  EXPECT_DOUBLE_EQ(master.serve_s(1, 0.5), 1.5);
  EXPECT_DOUBLE_EQ(master.serve_s(1.25, 0.5), 2);
  EXPECT_DOUBLE_EQ(master.serve_s(4, 0.5), 4.5);
  EXPECT_DOUBLE_EQ(master.busy_s(), 1.5);
}

TEST(MasterProcessorTest, ComesToWhatIsFreeWhenItIsFree) {
  MasterProcessor master;
  EXPECT_DOUBLE_EQ(master.serve_s(0, 0), 0);
  master.serve_s(0, 2);
  EXPECT_DOUBLE_EQ(master.serve_s(1, 0), 2);
  EXPECT_DOUBLE_EQ(master.busy_s(), 2);
}

TEST(MasterProcessorTest, ComputesWithWhatServingLeaves) {
  MasterProcessor master;
  master.begin_own(1, 4);
  EXPECT_DOUBLE_EQ(master.own_end_s(), 5);
  EXPECT_DOUBLE_EQ(master.serve_s(2, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(master.own_end_s(), 5.5);
  EXPECT_DOUBLE_EQ(master.serve_s(2.25, 0.5), 3);  // waits for the one before
  EXPECT_DOUBLE_EQ(master.own_end_s(), 6);
  master.end_own();
  EXPECT_DOUBLE_EQ(master.serve_s(6, 1), 7);
}

TEST(MasterProcessorTest, BeginsItsOwnWhenItHasServed) {
  MasterProcessor master;
  master.serve_s(0, 2);
  master.begin_own(1, 1);
  EXPECT_DOUBLE_EQ(master.own_end_s(), 3);
}

// Half of the processor is gone: serving takes twice as long, and so does computing.
TEST(MasterProcessorTest, IsSlowedByALoad) {
  MasterProcessor master{Processor(Availability(LoadPlan::constant(0.5)))};
  master.begin_own(0, 1);
  EXPECT_DOUBLE_EQ(master.serve_s(1, 0.25), 1.5);
  EXPECT_DOUBLE_EQ(master.own_end_s(), 2.5);
  EXPECT_DOUBLE_EQ(master.busy_s(), 0.25);
}

// Asking for the end must not use up what the group is granted.
TEST(MasterProcessorTest, ForeseesUnderALimitWithoutSpendingIt) {
  MasterProcessor master{Processor(BandwidthLimit({0.1, 0.010, 0.004}, 0, 0))};
  master.begin_own(0, 0.01);
  const double end_s = master.own_end_s();
  EXPECT_GT(end_s, 0.05);
  EXPECT_DOUBLE_EQ(master.own_end_s(), end_s);
}

}  // namespace
}  // namespace loadshare::predictor
