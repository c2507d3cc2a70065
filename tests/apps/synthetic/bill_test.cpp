#include "apps/synthetic/bill.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace loadshare::synthetic {
namespace {

/// Iteration i costs i + 1 seconds.
class Counting final : public Cost {
 public:
  double seconds(Index iteration) const override { return static_cast<double>(iteration + 1); }
};

TEST(Bill, AddsUp) {
  const Bill bill = add_up(Counting(), 4);
  EXPECT_DOUBLE_EQ(bill.total_s, 10);
  EXPECT_DOUBLE_EQ(bill.mean_s(), 2.5);
  EXPECT_DOUBLE_EQ(bill.costliest_s, 4);
  EXPECT_DOUBLE_EQ(bill.cv, std::sqrt(1.25) / 2.5);
}

TEST(Bill, IsZeroWithoutIterations) {
  const Bill bill = add_up(Counting(), 0);
  EXPECT_EQ(bill.total_s, 0);
  EXPECT_EQ(bill.mean_s(), 0);
  EXPECT_EQ(bill.cv, 0);
  EXPECT_EQ(bill.least_makespan_s(3), 0);
}

TEST(Bill, LeastMakespanIsAnEvenShareOrTheMostExpensiveIteration) {
  const Bill bill = add_up(Counting(), 4);
  EXPECT_DOUBLE_EQ(bill.least_makespan_s(1), 10);
  EXPECT_DOUBLE_EQ(bill.least_makespan_s(2), 5);
  EXPECT_DOUBLE_EQ(bill.least_makespan_s(3), 4);
  EXPECT_DOUBLE_EQ(bill.least_makespan_s(100), 4);
}

TEST(Bill, ReadsWell) {
  EXPECT_EQ(
      bill_text(add_up(Counting(), 4), 2),
      "4 iterations cost 10.0 s, 2.50 s each (cv 0.45); 2 equal, undisturbed workers need at least 5.00 s");
  EXPECT_EQ(bill_text(add_up(Counting(), 1), 1),
            "1 iteration cost 1.00 s, 1.00 s each (cv 0.00); an undisturbed worker needs at least 1.00 s");
}

}  // namespace
}  // namespace loadshare::synthetic
