#include "runtime/records/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "tests/runtime/records/sample_record.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

json events_of(const RunRecord& record) {
  std::string text;
  write_trace_events(record, [&](std::string_view piece) { text.append(piece); });
  return json::parse(text)["traceEvents"];
}

std::vector<json> having(const json& events, const std::string& key, const std::string& value) {
  std::vector<json> found;
  for (const json& event : events)
    if (event.value(key, "") == value) found.push_back(event);
  return found;
}

std::vector<std::string> names_of_rows(const json& events) {
  std::vector<std::string> names;
  for (const json& event : having(events, "name", "thread_name")) names.push_back(event["args"]["name"]);
  return names;
}

TEST(Trace, HasAGroupPerHostAndARowPerRank) {
  const json events = events_of(test::sample_record(2));
  std::map<int, std::string> hosts;
  for (const json& event : having(events, "name", "process_name"))
    hosts[event["pid"]] = event["args"]["name"];
  EXPECT_EQ(hosts, (std::map<int, std::string>{{1, "node0"}, {2, "node1"}}));
  EXPECT_THAT(names_of_rows(events),
              ElementsAre("the run", "rank 0 (master) node0", "rank 1 (worker) node0", "rank 1 on the way",
                          "rank 2 (worker) node1", "rank 2 on the way"));
}

TEST(Trace, EveryChunkIsABarWithItsStamps) {
  const auto bars = having(events_of(test::sample_record(2)), "cat", "computing");
  ASSERT_EQ(bars.size(), 8u);
  const json& first = bars[0];
  EXPECT_EQ(first["ph"], "X");
  EXPECT_EQ(first["name"], "columns 0-19");
  EXPECT_EQ(first["ts"], 100'000.0);
  EXPECT_EQ(first["dur"], 240'000.0);
  EXPECT_EQ(first["args"], json::parse(R"({"rank":1,"first":0,"size":20,"assigned_s":0.097,"received_s":0.099,
    "begun_s":0.1,"ended_s":0.34,"returned_s":0.345,"cpu_s":0.237,"waited_s":0,"stolen_s":0.003,
    "duplicate":false})"));
}

TEST(Trace, WaitingForTheBroadcastInputIsNotComputing) {
  RunRecord record = test::sample_record(2);
  record.chunks[0].waited_s = 0.04;
  record.chunks[0].cpu_s = 0.197;
  record.ranks[1].capacity = 0.25;
  const json events = events_of(record);
  const auto waits = having(events, "cat", "waiting");
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0]["ts"], 100'000.0);
  EXPECT_EQ(waits[0]["dur"], 40'000.0);
  const json computing = having(events, "cat", "computing")[0];
  EXPECT_EQ(computing["ts"], 140'000.0);
  EXPECT_EQ(computing["dur"], 200'000.0);
  EXPECT_EQ(computing["args"]["stolen_s"], 0.003);
  EXPECT_EQ(waits[0]["tid"], computing["tid"]);
  EXPECT_EQ(names_of_rows(events)[2], "rank 1 (worker) node0, 0.25 of a processor");
}

TEST(Trace, TransfersAreShownNextToTheComputing) {
  const json events = events_of(test::sample_record(1));
  EXPECT_EQ(having(events, "cat", "transit").size(), 4u);
  EXPECT_EQ(having(events, "cat", "queued").size(), 4u);
  EXPECT_EQ(having(events, "cat", "returning").size(), 4u);
  EXPECT_EQ(having(events, "cat", "transit")[0]["name"], "transit columns 0-19");
}

TEST(Trace, NoRowHasBarsThatOverlapExceptInside) {
  RunRecord record = test::sample_record(1);
  for (std::size_t i = 1; i < record.chunks.size(); ++i) {
    record.chunks[i].assigned_s = 0.05;  // all assigned in advance, as with prefetch
    record.chunks[i].received_s = 0.06;
  }
  std::map<int, std::vector<std::pair<double, double>>> rows;
  for (const json& event : having(events_of(record), "ph", "X"))
    if (event["cat"] != "run" && event["cat"] != "broadcast input")
      rows[event["tid"]].emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
  EXPECT_GE(rows.size(), 4u);
  for (auto& [row, bars] : rows) {
    std::sort(bars.begin(), bars.end());
    for (std::size_t i = 1; i < bars.size(); ++i) EXPECT_LE(bars[i - 1].second, bars[i].first + 1e-3) << row;
  }
}

TEST(Trace, EveryBarIsInANamedRow) {
  const json events = events_of(test::sample_record(9));
  std::set<std::pair<int, int>> named;
  for (const json& event : having(events, "name", "thread_name")) named.emplace(event["pid"], event["tid"]);
  for (const json& event : having(events, "ph", "X")) {
    EXPECT_TRUE(named.contains({event["pid"], event["tid"]}));
    EXPECT_GE(event["dur"].get<double>(), 0);
  }
}

TEST(Trace, TheRunAndTheSharedInputHaveARow) {
  const json events = events_of(test::sample_record(1));
  EXPECT_EQ(having(events, "cat", "run")[0]["dur"], 1'250'000.0);
  EXPECT_EQ(having(events, "cat", "broadcast input")[0]["dur"], 96'800.0);
}

TEST(Trace, ALoadHasARowOfItsOwn) {
  RunRecord record = test::sample_record(2);
  record.load = test::sample_load();
  const json events = events_of(record);
  EXPECT_THAT(names_of_rows(events),
              ElementsAre("the run", "rank 0 (master) node0", "rank 1 (worker) node0", "rank 1 on the way",
                          "rank 1 load", "rank 2 (worker) node1", "rank 2 on the way", "rank 2 load"));
  const auto bars = having(events, "cat", "load");
  ASSERT_EQ(bars.size(), 4u);
  EXPECT_EQ(bars[1]["name"], "load 50 %");
  EXPECT_EQ(bars[1]["ts"], 1e6);
  EXPECT_EQ(bars[1]["dur"], 250e3);
}

TEST(Trace, MembershipChangesAreMomentsInTheWorkersRows) {
  RunRecord record = test::sample_record(2);
  record.membership.emplace();
  record.membership->events = {{0.25, MemberEvent::What::lost, WorkerId{1}, 2}};
  record.membership->given_again = {{0.5, WorkerId{0}, {20, 20}}};
  const auto moments = having(events_of(record), "cat", "member");
  ASSERT_EQ(moments.size(), 2u);
  EXPECT_EQ(moments[0]["name"], "lost");
  EXPECT_EQ(moments[0]["ts"], 250'000.0);
  EXPECT_EQ(moments[0]["pid"], 2) << "node1";
  EXPECT_EQ(moments[1]["name"], "given again");
  EXPECT_EQ(moments[1]["pid"], 1);
}

TEST(Trace, AnEmptyRunIsAValidTrace) {
  EXPECT_EQ(having(events_of(RunRecord{}), "cat", "computing").size(), 0u);
}

class TraceFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::path(::testing::TempDir()) / ("trace_" + std::to_string(getpid()));
    fs::create_directory(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(directory_)) found.push_back(entry.path().filename());
    return found;
  }

  fs::path directory_;
};

TEST_F(TraceFileTest, ReplacesAnOldFileAndLeavesNothingElse) {
  std::ofstream(directory_ / "t.json") << "old";
  write_trace(test::sample_record(1), directory_ / "t.json");
  EXPECT_EQ(json::parse(std::ifstream(directory_ / "t.json"))["displayTimeUnit"], "ms");
  EXPECT_THAT(names(), UnorderedElementsAre("t.json"));
}

TEST_F(TraceFileTest, AnOldFileSurvivesAFailureOfTheNewOne) {
  std::ofstream(directory_ / "t.json") << "old";
  EXPECT_THROW(replace_file(directory_ / "t.json",
                            [](const ByteSink& out) {
                              out("half");
                              throw Error(ExitCode::run_failed, "stop");
                            }),
               Error);
  std::string content;
  std::ifstream(directory_ / "t.json") >> content;
  EXPECT_EQ(content, "old");
  EXPECT_THAT(names(), UnorderedElementsAre("t.json"));
}

TEST_F(TraceFileTest, FollowsALinkToItsFile) {
  std::ofstream(directory_ / "real.json") << "old";
  fs::create_symlink("real.json", directory_ / "link.json");
  write_trace(test::sample_record(1), directory_ / "link.json");
  EXPECT_TRUE(fs::is_symlink(directory_ / "link.json"));
  EXPECT_GT(fs::file_size(directory_ / "real.json"), 100u);
}

TEST(TraceFile, AFullDeviceIsAFailedRun) {
  try {
    write_trace(test::sample_record(1), "/dev/full");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::run_failed);
    EXPECT_STREQ(error.what(), "cannot write /dev/full (no space left on device)");
  }
}

}  // namespace
}  // namespace loadshare
