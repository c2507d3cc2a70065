#include "runtime/records/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "tests/failing_locks.hpp"
#include "tests/runtime/records/sample_record.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Returns the exit code and the text of the error that `action` throws.
template <typename Action>
std::pair<ExitCode, std::string> error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {ExitCode::good, ""};
}

class JsonSinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::path(::testing::TempDir()) / ("json_sink_" + std::to_string(getpid()));
    fs::create_directory(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  fs::path directory_;
};

std::vector<std::string> keys_of(const nlohmann::ordered_json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(JsonLine, KeysFollowTheOrderOfTheSchema) {
  const auto json = nlohmann::ordered_json::parse(to_json_line(test::sample_record(2)));
  EXPECT_THAT(keys_of(json),
              ElementsAre("schema", "app", "scheduler", "workers", "iterations", "iteration_name",
                          "makespan_s", "shared_input_s", "verified", "seed", "operations", "gflops",
                          "findings", "transport", "hosts", "versions", "binding", "options", "accounting",
                          "timing", "notes", "skipped", "reissue", "membership", "journal", "load", "loop",
                          "choice", "etas", "width_cost", "ranks", "chunks"));
  EXPECT_THAT(
      keys_of(json["ranks"][0]),
      ElementsAre("rank", "role", "worker", "host", "cpus", "capacity", "limit", "chunks", "iterations",
                  "work", "computing_s", "stolen_s", "communicating_s", "idle_s", "blocked_s", "away_s",
                  "unaccounted_s", "waiting_cpu_s", "coordinating_cpu_s", "clock_offset_s"));
}

TEST(JsonLine, ContainsTheLoad) {
  RunRecord record = test::sample_record(2);
  EXPECT_TRUE(nlohmann::json::parse(to_json_line(record))["load"].is_null());
  record.load = test::sample_load();
  const auto load = nlohmann::ordered_json::parse(to_json_line(record))["load"];
  EXPECT_EQ(load["spec"], "on=1s,off=1s");
  EXPECT_EQ(load["ranks"][0].dump(),
            R"({"rank":1,"host":"node0","cpu":0,"capacity":1.0,"phase_s":0.75,"share_asked":0.5,)"
            R"("share_taken":0.49,"worker_share":0.51,"cpu_s":0.245,"on_s":0.5,"late_p99_s":0.0001,)"
            R"("late_max_s":0.0002,"cycles":2})");
  EXPECT_TRUE(load["ranks"][1]["worker_share"].is_null());
}

TEST(JsonLine, WithoutAMasterThereIsNoSchedulerAndWaitingMayBeUnknown) {
  RunRecord record = test::sample_record(2);
  record.scheduler.clear();
  record.is_idle_known = false;
  const auto json = nlohmann::json::parse(to_json_line(record));
  EXPECT_TRUE(json["scheduler"].is_null());
  EXPECT_TRUE(json["ranks"][0]["idle_s"].is_null());
  EXPECT_TRUE(json["ranks"][0]["communicating_s"].is_number());
}

TEST(JsonLine, IsOneLineWithEveryChunk) {
  const RunRecord record = test::sample_record(2);
  const std::string line = to_json_line(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto json = nlohmann::ordered_json::parse(line);
  ASSERT_EQ(json["chunks"].size(), record.chunks.size());
  EXPECT_EQ(json["chunks"][1].dump(),
            R"({"first":20,"size":20,"worker":1,"assigned_s":0.097,"received_s":0.099,"begun_s":0.1,)"
            R"("ended_s":0.34,"returned_s":0.345,"cpu_s":0.237,"waited_s":0,)"
            R"("duplicate":false})");
}

TEST(JsonLine, ContainsTheIdentityOfTheRun) {
  const auto json = nlohmann::json::parse(to_json_line(test::sample_record(2)));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["gflops"], 104.6);
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["options"], nlohmann::json::parse(R"({"kernel":"packed","prefetch":1,"reissue":false})"));
  EXPECT_EQ(json["accounting"]["closes"], true);
  EXPECT_EQ(json["timing"], nlohmann::json::parse(
                                R"({"thinned":false,"chunks_total":8,"chunks_timed":8,"chunks_listed":8})"));
  EXPECT_EQ(json["ranks"][0]["worker"], nullptr);
  EXPECT_EQ(json["ranks"][2]["worker"], 1);
}

TEST(JsonLine, FindingsKeepTheirOrderAndTypes) {
  RunRecord record = test::sample_record(2);
  EXPECT_EQ(nlohmann::ordered_json::parse(to_json_line(record))["findings"].dump(), "{}");
  record.findings = {{"mops", 68.5, "rate", "68.5 Mop/s"}, {"checks", Index{50}, "checks", "50 passed"}};
  const auto json = nlohmann::ordered_json::parse(to_json_line(record));
  EXPECT_EQ(json["findings"].dump(), R"({"mops":68.5,"checks":50})");
}

TEST(JsonLine, ContainsTheCostOfNarrowChunks) {
  RunRecord record = test::sample_record(2);
  EXPECT_TRUE(nlohmann::json::parse(to_json_line(record))["width_cost"].is_null());
  record.width_cost = {3, 96, 5.125};
  const auto json = nlohmann::ordered_json::parse(to_json_line(record));
  EXPECT_EQ(json["width_cost"].dump(), R"({"narrow":3,"wide":96,"ratio":5.125,"source":"run"})");
}

TEST(JsonLine, ContainsTheJournal) {
  RunRecord record = test::sample_record(2);
  EXPECT_TRUE(nlohmann::json::parse(to_json_line(record))["journal"].is_null());
  record.journal = {.recovered = 30,
                    .kept = 10,
                    .bytes = 640,
                    .syncs = 2,
                    .longest_sync_s = 0.5,
                    .cpu_s = 0.25,
                    .problem = "no disk"};
  EXPECT_EQ(nlohmann::json::parse(to_json_line(record))["journal"], nlohmann::json::parse(R"({
    "recovered": 30, "kept": 10, "bytes": 640, "syncs": 2, "longest_sync_s": 0.5, "cpu_s": 0.25, "safe": false,
    "problem": "no disk"})"));
}

TEST(JsonLine, ContainsTheMembershipChanges) {
  RunRecord record = test::sample_record(2);
  record.membership.emplace();
  record.membership->events = {{0.25, MemberEvent::What::lost, WorkerId{1}, 2}};
  record.membership->given_again = {{0.5, WorkerId{0}, {20, 20}}};
  record.membership->given = 9;
  record.membership->counted = 6;
  record.membership->lost = 2;
  record.membership->left = 1;
  EXPECT_EQ(nlohmann::json::parse(to_json_line(record))["membership"], nlohmann::json::parse(R"({
    "events": [{"at_s": 0.25, "what": "lost", "worker": 1, "chunks": 2}],
    "given_again": [{"at_s": 0.5, "worker": 0, "first": 20, "size": 20}],
    "given": 9, "counted": 6, "second": 0, "failed": 0, "handed_back": 0, "lost": 2, "left": 1})"));
}

TEST(JsonLine, UnknownValuesAreNull) {
  const auto json = nlohmann::json::parse(to_json_line(RunRecord{}));
  for (const char* key : {"verified", "seed", "operations", "gflops", "load", "loop", "choice"})
    EXPECT_TRUE(json[key].is_null()) << key;
  EXPECT_TRUE(json["options"].is_object());
  EXPECT_TRUE(json["versions"].is_object());
  EXPECT_TRUE(json["ranks"].is_array());
  EXPECT_TRUE(json["chunks"].is_array());
}

TEST(JsonLine, ContainsThePropertiesOfTheLoop) {
  RunRecord record;
  record.loop = LoopRecord{800, 400, 64, 32, {}};
  EXPECT_EQ(
      nlohmann::ordered_json::parse(to_json_line(record))["loop"].dump(),
      R"({"input_bytes":800.0,"result_bytes":400.0,"shared_bytes":64.0,"shared_piece_bytes":32.0,"work":null})");
  record.loop->work = {1, 2.5};
  EXPECT_EQ(nlohmann::json::parse(to_json_line(record))["loop"]["work"].dump(), "[1.0,2.5]");
}

TEST(JsonLine, ContainsTheChoiceAndTheForecasts) {
  RunRecord record;
  record.makespan_s = 2;
  record.choice =
      ChoiceRecord{"gss:divisor=9", {"send:size=3", "gss:divisor=9"}, 1.9, 0.1, 0.01, 0.02, 12, 30, ""};
  record.etas = {{0.5, 2.5}, {1, 1.5}};
  const auto json = nlohmann::ordered_json::parse(to_json_line(record));
  EXPECT_EQ(json["choice"]["scheduler"], "gss:divisor=9");
  EXPECT_EQ(keys_of(json["choice"]),
            (std::vector<std::string>{"scheduler", "level", "predicted_s", "survey_s", "choosing_s",
                                      "budget_s", "tried", "candidates", "known_from"}));
  EXPECT_TRUE(json["choice"]["known_from"].is_null());
  EXPECT_EQ(json["etas"].dump(),
            R"([{"at_s":0.5,"makespan_s":2.5,"error":0.25},{"at_s":1.0,"makespan_s":1.5,"error":-0.25}])");
  record.choice->scheduler.clear();
  EXPECT_TRUE(nlohmann::json::parse(to_json_line(record))["choice"]["scheduler"].is_null());
}

TEST(JsonLine, NonFiniteNumbersBecomeNull) {
  RunRecord record = test::sample_record(1);
  record.makespan_s = std::numeric_limits<double>::infinity();
  record.chunks[0].cpu_s = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(to_json_line(record));
  EXPECT_TRUE(json["makespan_s"].is_null());
  EXPECT_TRUE(json["chunks"][0]["cpu_s"].is_null());
}

TEST(JsonLine, TimesAreRoundedToNanoseconds) {
  RunRecord record = test::sample_record(1);
  record.makespan_s = 1.0 / 3;
  record.chunks[0].assigned_s = 2e-6 / 3;
  record.chunks[0].received_s = -1e-13;
  const std::string line = to_json_line(record);
  EXPECT_THAT(line, HasSubstr(R"("makespan_s":0.333333333,)"));
  EXPECT_THAT(line, HasSubstr(R"("assigned_s":6.67e-07,"received_s":0,)"));
}

TEST(JsonLine, TextMayContainAnyBytes) {
  RunRecord record = test::sample_record(1);
  record.notes = {"a \"quoted\"\nline", "no UTF-8: \xff"};
  const auto json = nlohmann::json::parse(to_json_line(record));
  EXPECT_EQ(json["notes"][0], "a \"quoted\"\nline");
  EXPECT_EQ(json["notes"][1], "no UTF-8: \xef\xbf\xbd");
}

TEST(JsonLine, ReportsTimesThatDoNotAddUp) {
  RunRecord record = test::sample_record(1);
  record.ranks[1].unaccounted_s = -0.125;
  const auto json = nlohmann::json::parse(to_json_line(record));
  EXPECT_EQ(json["accounting"]["closes"], false);
  EXPECT_DOUBLE_EQ(json["accounting"]["worst_gap"], 0.1);
}

TEST(JsonLine, ManyChunksTakeLittleMemory) {
  RunRecord record = test::sample_record(1);
  ChunkRecord chunk = record.chunks[3];
  for (int i = 0; i < 20'000; ++i) {
    chunk.assigned_s += 1.2345678e-6;
    record.chunks.push_back(chunk);
  }
  const std::string line = to_json_line(record);
  EXPECT_LT(line.size(), 4'000'000u);
}

TEST_F(JsonSinkTest, AppendsOneLineARun) {
  const JsonSink sink(path("runs.jsonl"));
  EXPECT_FALSE(fs::exists(path("runs.jsonl"))) << "made before there was anything to write";
  sink.append("{\"a\":1}");
  JsonSink(path("runs.jsonl")).append("{\"a\":2}");
  EXPECT_EQ(content_of(path("runs.jsonl")), "{\"a\":1}\n{\"a\":2}\n");
}

TEST_F(JsonSinkTest, AppendsWithoutALockWhereThereIsNone) {
  const JsonSink sink(path("runs.jsonl"));
  EXPECT_EQ(sink.append("{\"a\":1}"), 0);
  {
    const test::FailingLocks interrupted(EINTR, 3);
    EXPECT_EQ(sink.append("{\"a\":2}"), 0);
  }
  const test::FailingLocks failing(ENOLCK);
  EXPECT_EQ(sink.append("{\"a\":3}"), ENOLCK);
  EXPECT_EQ(content_of(path("runs.jsonl")), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
}

TEST_F(JsonSinkTest, AnUnwritableFileIsRefusedBeforeTheRun) {
  EXPECT_EQ(
      error_of([&] { JsonSink(path("no/runs.jsonl")); }),
      std::pair(ExitCode::usage, "cannot write the JSON line to '" + path("no/runs.jsonl") +
                                     "' (there is no directory " + path("no") + "); name another file"));
  EXPECT_EQ(error_of([&] { JsonSink{directory_.string()}; }),
            std::pair(ExitCode::usage, "cannot write the JSON line to '" + directory_.string() +
                                           "' (it is a directory); name another file"));
  EXPECT_EQ(error_of([] { JsonSink(""); }).first, ExitCode::usage);
  EXPECT_EQ(error_of([] { JsonSink("/dev/full"); }),
            std::pair(ExitCode::usage, std::string("cannot write the JSON line to '/dev/full' "
                                                   "(no space left on device); name another file")));
}

TEST_F(JsonSinkTest, AFileWithoutPermissionIsRefusedBeforeTheRun) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anything";
  std::ofstream(path("runs.jsonl")) << "old\n";
  chmod(path("runs.jsonl").c_str(), 0444);
  EXPECT_EQ(error_of([&] { JsonSink(path("runs.jsonl")); }).first, ExitCode::usage);
}

TEST_F(JsonSinkTest, AFullDiskAfterTheRunIsAFailedRun) {
  const JsonSink sink(path("runs.jsonl"));
  fs::create_symlink("/dev/full", path("runs.jsonl"));
  EXPECT_EQ(
      error_of([&] { sink.append("{}"); }),
      std::pair(
          ExitCode::run_failed,
          "cannot append the JSON line to " + path("runs.jsonl") +
              " (no space left on device; no part of it was kept); make room there, or name another file"));
}

/// A limit on file sizes imitates a disk that fills up in the middle of a line.
TEST_F(JsonSinkTest, AnInterruptedLineIsTakenBack) {
  std::ofstream(path("runs.jsonl")) << "old\n";
  const auto too_long = [&](const std::string& name) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    const ExitCode code = error_of([&] { JsonSink(path(name)).append(std::string(10'000, 'x')); }).first;
    _exit(static_cast<int>(code));
  };
  EXPECT_EXIT(too_long("runs.jsonl"), ::testing::ExitedWithCode(1), "");
  EXPECT_EXIT(too_long("new.jsonl"), ::testing::ExitedWithCode(1), "");
  EXPECT_EQ(content_of(path("runs.jsonl")), "old\n");
  EXPECT_FALSE(fs::exists(path("new.jsonl")));
}

}  // namespace
}  // namespace loadshare
