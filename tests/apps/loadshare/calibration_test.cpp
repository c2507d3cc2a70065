#include "apps/loadshare/calibration.hpp"

#include <gmock/gmock.h>

#include <functional>

#include "base/error.hpp"

namespace loadshare::tool::test {
namespace {

using calibration::Calibration;
using communication::ReceivePosted;
using communication::SendMode;
using communication::Side;

calibration::Launch launch() {
  return {"2026-01-31T12:00:00Z", 1, {{0, "n1", {0}}, {1, "n2", {0}}}, {{"btl", "tcp,self"}}, {}, 7, 2e-8};
}

/// Buffered sends of 1 us and 1 ns a byte, twice that at the receiver, all of it times `factor`.
Calibration measured(const std::vector<Index>& sizes, double factor = 1) {
  Calibration made;
  made.launches = {launch()};
  for (const Index bytes : sizes) {
    const double seconds = factor * (1e-6 + 1e-9 * static_cast<double>(bytes));
    made.messages.push_back(
        {0, 0, 1, SendMode::buffered, ReceivePosted::before, bytes, {{seconds, 2 * seconds, false}}});
  }
  return made;
}

const Calibration fitted = measured({100, 200, 500, 1000, 2000});

CheckRequest request(Index least_bytes = 0) {
  return {.fitted = "a.json", .measured = "b.json", .fit = "seed", .least_bytes = least_bytes, .json = ""};
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Check, ComparesMediansWithTheFit) {
  Calibration other = measured({300}, 1.25);
  other.messages[0].messages.push_back({1, 1, false});
  other.messages[0].messages.push_back(other.messages[0].messages[0]);  // the middle one of three
  const auto times = checked_times(fitted, other, request());
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].side, Side::sender);
  EXPECT_EQ(times[0].bytes, 300);
  EXPECT_NEAR(times[0].measured_s, 1.625e-6, 1e-15);
  EXPECT_NEAR(times[0].predicted_s, 1.3e-6, 1e-12);
  EXPECT_NEAR(times[0].error(), -0.2, 1e-6);
  EXPECT_EQ(times[1].side, Side::receiver);
  EXPECT_NEAR(times[1].predicted_s, 2.6e-6, 1e-12);
}

TEST(Check, PassesOverTheFitsOwnSizesAndThoseOutsideTheRange) {
  CheckRequest some = request(300);
  some.most_bytes = 600;
  const auto times = checked_times(fitted, measured({299, 300, 500, 600, 601}), some);
  ASSERT_EQ(times.size(), 4u);
  EXPECT_EQ(times[0].bytes, 300);
  EXPECT_EQ(times[2].bytes, 600);
}

TEST(Check, NeedsSomethingNew) {
  const std::string nothing =
      "b.json cannot be used to check a.json (it has no new sizes from 0 to 4194304 bytes between the same "
      "ranks); calibrate again with another --seed";
  EXPECT_EQ(error_of([] { checked_times(fitted, measured({500, 1000}), request()); }), nothing);
  Calibration back = measured({300});
  back.messages[0].sender = 1;
  back.messages[0].receiver = 0;
  EXPECT_EQ(error_of([&] { checked_times(fitted, back, request()); }), nothing);
}

TEST(Check, SaysWhatCannotBeFitted) {
  EXPECT_EQ(error_of([] {
              checked_times(measured({1, 2}), measured({3}), request());
            }),
            "a.json: rank 0 to rank 1: the sender of buffered sends, receive posted before: too few points: "
            "2 (a line needs 3 to show its error); measure more of them");
}

TEST(Check, TellsErrorsByKind) {
  std::vector<CheckedTime> times;
  for (int i = 1; i <= 11; ++i)
    times.push_back({SendMode::standard, ReceivePosted::after, Side::sender, i, 1, 1 - 0.01 * i});
  times.push_back({SendMode::buffered, ReceivePosted::before, Side::receiver, 8, 1, 1.5});
  EXPECT_EQ(check_text(times, {}),
            "mode      posted  side      sizes  median error  ninth decile   worst\n"
            "buffered  before  receiver      1        50.0 %        50.0 %  50.0 %\n"
            "standard  after   sender       11         6.0 %        10.0 %  11.0 %\n"
            "all                            12         6.5 %        10.9 %  50.0 %\n");
}

/// Ten calls of each size on a host each: all leave a barrier-like call together, and rank 1 leaves a bcast
/// so long after the root began it; all of it times `factor`.
Calibration with_calls(const std::vector<Index>& sizes, double factor) {
  Calibration made = measured({100});
  for (const Index bytes : sizes) {
    const double seconds = factor * (1e-5 + 1e-9 * static_cast<double>(bytes));
    made.collectives.push_back({0, "allreduce", 2, bytes, std::vector<double>(10, seconds)});
    calibration::RootedSeries rooted{0, "bcast", 2, bytes, {}, {}};
    for (int i = 0; i < 10; ++i) {
      const double root_s = 1e-3 * ((7 * i) % 10), other_s = 1e-3 * ((3 * i + 1) % 10);
      rooted.begun_s.push_back({root_s, other_s});
      rooted.ended_s.push_back({root_s + factor * 1e-6, std::max(root_s, other_s) + seconds});
    }
    made.rooted_calls.push_back(rooted);
  }
  return made;
}

TEST(Check, ComparesCollectiveCallsByRank) {
  const auto calls =
      checked_calls(with_calls({1000, 4000, 16000}, 1), with_calls({1000, 2000, 50000}, 1.25), 64, 1 << 20);
  ASSERT_EQ(calls.size(), 4U) << "one size is new and within what was measured";
  for (const CheckedCall& call : calls) {
    EXPECT_EQ(call.bytes, 2000);
    EXPECT_NEAR(call.error(), -0.2, 0.01) << call.call << ' ' << call.who;
  }
  EXPECT_EQ(calls[0].who, "all");
  EXPECT_EQ(calls[1].who, "root");
  for (const std::size_t of_rank_1 : {2U, 3U}) EXPECT_EQ(calls[of_rank_1].who, "rank 1");
  EXPECT_EQ(calls[2].after, "own");
  EXPECT_EQ(calls[3].after, "awaited");
  const std::string text = check_text({}, calls);
  EXPECT_THAT(text, testing::ContainsRegex("bcast +2 ranks +others +1 +20.0 %"));
  EXPECT_THAT(text, testing::ContainsRegex("bcast +2 ranks +others, waiting +1 +20.0 %"));
}

TEST(Check, NotesWhatMayDiffer) {
  EXPECT_THAT(check_notes(fitted, measured({300})), testing::IsEmpty());
  Calibration other = measured({300});
  other.launches[0].ranks[1].host = "n3";
  other.launches.push_back(launch());
  other.launches[1].transport["btl"] = "self,vader";
  other.messages.push_back(other.messages[0]);
  other.messages[1].mode = SendMode::ready;
  EXPECT_THAT(check_notes(fitted, other),
              testing::ElementsAre("the calibrations are of different hosts: rank 1 is on n3, and was on n2",
                                   "MPI was configured differently: btl is 'self,vader', and was 'tcp,self'",
                                   "not checked: rank 0 to rank 1, ready sends, receive posted before: the "
                                   "fitted calibration has no such messages"));
}

}  // namespace
}  // namespace loadshare::tool::test
