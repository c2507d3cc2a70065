#include "apps/loadshare/metrics_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::tool {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// One profile of 10 s on one rank.
Point point_of(std::vector<waiting::Loss> losses) {
  Point point;
  SourcedRun& run = point.runs.emplace_back();
  run.times.run_s = 10;
  run.times.ranks.emplace_back();
  run.losses = std::move(losses);
  return point;
}

waiting::Loss lost(const std::string& place, double seconds = 1) {
  return {"MPI_Recv", place, waiting::WaitState::late_sender, seconds};
}

TEST(CodePlace, ModuleAndAddressStandBehindTheFunction) {
  EXPECT_THAT(code_place_note(point_of({lost("")})), IsEmpty());
  EXPECT_THAT(code_place_note(point_of({lost("prog+0x12")})),
              StartsWith("prog+0x12 is in that call: addr2line -Cfpe prog 0x12 "));
  EXPECT_THAT(code_place_note(point_of({lost("solve(int, long)+0x3 at prog+0x12")})),
              StartsWith("prog+0x12 is in that call: addr2line -Cfpe prog 0x12 "));
  EXPECT_THAT(code_place_note(point_of({lost("solve()+0x3 at my prog+0x12")})),
              StartsWith("my prog+0x12 is in that call: addr2line -Cfpe 'my prog' 0x12 "));
}

TEST(CodePlace, IsOneThatIsShown) {
  EXPECT_THAT(code_place_note(point_of({lost("", 1), lost("prog+0x12", 0.001)})), IsEmpty());
  std::vector<waiting::Loss> many(10, lost("", 0.9));
  many.push_back(lost("prog+0x12", 0.8));
  EXPECT_THAT(code_place_note(point_of(many)), IsEmpty());
}

}  // namespace
}  // namespace loadshare::tool
