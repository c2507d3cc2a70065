#include "experiments/sweep/folder.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/experiments/sweep/sample_sweep.hpp"
#include "tests/experiments/sweep/temporary_folder.hpp"
#include "tests/experiments/yaml/complaint.hpp"
#include "tests/failing_locks.hpp"

namespace loadshare::sweep {
namespace {

constexpr const char* good_line =
    R"({"schema":1,"point":"e","repetition":2,"status":"ok","record":{"makespan_s":0.5}})"
    "\n";
constexpr const char* failed_line =
    R"({"schema":1,"point":"e","repetition":3,"status":"failed","record":null})"
    "\n";

TEST(RunLog, ALineHoldsTheWholeRun) {
  const SweepSpec spec = sweep_of("    matrix: {size: [300], scheduler: [\"gss:14\"], reissue: [true]}\n");
  RunEntry entry;
  entry.run = {&spec.experiments[0], &spec.experiments[0].points[0], 4, 0};
  entry.order = 17;
  entry.load = RunLoad{"on=1s,off=1s,phase=random,seed=5", 5};
  entry.command = {"matmul", "--size", "300"};
  entry.started_at = "2026-01-31T12:00:00Z";
  entry.outcome = {Status::failed, 1, 0.25, 100, "no \"luck\""};
  entry.overhead_s = 0.00123456;
  EXPECT_EQ(
      to_json_line(entry),
      R"({"schema":1,"experiment":"e","point":"e/reissue=true/scheduler=gss:14/size=300",)"
      R"("parameters":{"reissue":true,"scheduler":"gss:14","size":300},"repetition":4,"order":17,"load_seed":5,)"
      R"("load":"on=1s,off=1s,phase=random,seed=5","command":["matmul","--size","300"],)"
      R"("started_at":"2026-01-31T12:00:00Z","wall_s":0.25,"overhead_s":0.001235,"exit_code":1,"status":"failed",)"
      R"("error":"no \"luck\"","record":null})");
  entry.record = R"({"makespan_s":0.5})";
  EXPECT_TRUE(to_json_line(entry).ends_with(R"(,"record":{"makespan_s":0.5}})"));
}

TEST(RunLog, IsReadBack) {
  const TemporaryFolder folder;
  write_text(folder.file("runs.jsonl"), std::string(good_line) + failed_line);
  const auto runs = read_log(folder.file("runs.jsonl"));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].point, "e");
  EXPECT_EQ(runs[0].repetition, 2);
  EXPECT_TRUE(runs[0].is_ok);
  EXPECT_EQ(runs[0].makespan_s, 0.5);
  EXPECT_FALSE(runs[1].is_ok);
  EXPECT_TRUE(read_log(folder.file("nothing.jsonl")).empty());
}

TEST(RunLog, ALineThatWasNotFinishedIsCutOff) {
  const TemporaryFolder folder;
  const std::string path = folder.file("runs.jsonl");
  const std::string line = good_line;
  for (std::size_t kept = 0; kept < line.size(); ++kept) {
    write_text(path, line + line.substr(0, kept));
    EXPECT_EQ(read_log(path).size(), 1u) << kept;
    repair_log(path);
    EXPECT_EQ(read_text(path), line) << kept;
  }
  repair_log(folder.file("nothing.jsonl"));
}

TEST(RunLog, AByteOrderMarkIsNoDamage) {
  const TemporaryFolder folder;
  const std::string path = folder.file("runs.jsonl"), whole = std::string("\xEF\xBB\xBF") + good_line;
  write_text(path, whole + "{\"torn");
  EXPECT_EQ(read_log(path).size(), 1u);
  repair_log(path);
  EXPECT_EQ(read_text(path), whole);
}

TEST(RunLog, ADamagedLineIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("runs.jsonl");
  for (const char* damage : {"{\"point\":\n", "[]\n", "\n",
                             "{\"schema\":1,\"point\":\"e\",\"repetition\":1,\"status\":\"ok\"}\n"}) {
    write_text(path, std::string(good_line) + damage + good_line);
    EXPECT_EQ(
        yaml::complaint([&] { read_log(path); }),
        path +
            ":2:1: this line is not a run (the file is damaged); remove the line; --resume repeats its run");
  }
}

TEST(RunLog, RunsOfAnotherSchemaAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("runs.jsonl");
  write_text(path, R"({"schema":99,"point":"e","repetition":3,"status":"failed","record":null})"
                   "\n");
  EXPECT_EQ(
      yaml::complaint([&] { read_log(path); }),
      path + ":1:1: this run has schema 99 (this version reads schema 1); name another folder with --out");
}

TEST(RunLog, ARecordNeedsAMakespan) {
  const TemporaryFolder folder;
  const std::string path = folder.file("record.json");
  write_text(path, "{\"makespan_s\":0.25}\n");
  EXPECT_EQ(read_record(path).makespan_s, 0.25);
  EXPECT_EQ(read_record(path).line, "{\"makespan_s\":0.25}");
  EXPECT_EQ(read_record(path).loops, 1);
  for (const char* text : {"", "{}", "{\"makespan_s\":null}", "{\"makespan_s\":0.0}", "[1]", "oops"}) {
    write_text(path, text);
    EXPECT_THROW(read_record(path), Error) << text;
  }
  EXPECT_THROW(read_record(folder.file("nothing.json")), Error);
}

TEST(RunLog, OfSeveralLoopsTheFirstCounts) {
  const TemporaryFolder folder;
  const std::string path = folder.file("record.json");
  write_text(path, "{\"makespan_s\":0.25}\n{\"makespan_s\":4}\n{\"makespan_s\":2}\n");
  EXPECT_EQ(read_record(path).makespan_s, 0.25);
  EXPECT_EQ(read_record(path).loops, 3);
}

constexpr const char* keys =
    "    title: All\n"
    "    launch: {with: mpirun, ranks: 3, arguments: [--bind-to, none], timeout: 2min}\n"
    "    options: {size: 300, seed: \"5\"}\n"
    "    load: \"constant,share=0.5\"\n"
    "    repeat: {at-least: 7, at-most: 30, within: 2%}\n"
    "    matrix: {scheduler: [send, gss]}\n"
    "    compare: scheduler\n";

class LockedFolder : public ::testing::Test {
 protected:
  Folder made() const { return {folder_.file("runs"), manifest_, folder_.file("sweep.yaml"), Resume::yes}; }

  const TemporaryFolder folder_;
  const nlohmann::ordered_json manifest_ = manifest_of(sweep_of("    matrix: {size: [300]}\n"), "1");
};

TEST_F(LockedFolder, IsOneSweepsAtATime) {
  const Folder first = made();
  EXPECT_EQ(first.lock_note(), "");
  EXPECT_EQ(yaml::complaint([this] { made(); }),
            "another sweep is running in '" + folder_.file("runs") +
                "' (their runs would mix); wait for it, or name another folder with --out");
}

TEST_F(LockedFolder, IsNotInUseIfItCannotBeLocked) {
  const test::FailingLocks failing(EOPNOTSUPP);
  EXPECT_EQ(made().lock_note(), "cannot lock '" + folder_.file("runs") +
                                    "' (this file system cannot lock files: operation not " +
                                    "supported); start no other sweep in it before this one has ended");
}

TEST(Manifest, ContainsTheWholeSweep) {
  const auto json = manifest_of(sweep_of(keys), "1.2.3");
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["source"], "f.yaml");
  EXPECT_EQ(json["reduced"], false);
  EXPECT_EQ(json["versions"]["loadshare"], "1.2.3");
  EXPECT_EQ(
      json["experiments"].dump(),
      R"([{"name":"e","title":"All","program":"matmul","launch":{"with":"mpirun","lab":null,"ranks":3,"workers":null,)"
      R"("arguments":["--bind-to","none"],"timeout_s":120.0},"options":{"size":300,"seed":"5"},)"
      R"("load":"constant,share=0.5","axes":[{"name":"scheduler","values":["send","gss"],"walk":0}],)"
      R"("compare":"scheduler","baseline":"send","repeat":{"at-least":7,"at-most":30,"within":0.02,)"
      R"("looks":[11,17,26,30]},"equal-within":0.03,)"
      R"("points":[{"id":"e/scheduler=send","parameters":{"scheduler":"send"}},)"
      R"({"id":"e/scheduler=gss","parameters":{"scheduler":"gss"}}]}])");
}

std::string difference_to(const std::string& other_keys, const std::string& file_keys = "",
                          Setting setting = Setting::full) {
  return difference(manifest_of(sweep_of(keys), "1"),
                    manifest_of(sweep_of(other_keys, file_keys, setting), "2"));
}

std::string with(std::string what, std::string instead) {
  std::string text = keys;
  text.replace(text.find(what), what.size(), instead);
  return text;
}

TEST(Manifest, RunsOfAnotherSweepAreDetected) {
  EXPECT_EQ(difference_to(keys), "");
  EXPECT_EQ(difference_to(with("size: 300", "size: 400")), "experiment e had another 'options'");
  EXPECT_EQ(difference_to(with("gss", "tss")), "experiment e had another 'points'");
  EXPECT_EQ(difference_to(with("ranks: 3", "ranks: 4")), "experiment e had another launch");
  EXPECT_EQ(difference_to(with("share=0.5", "share=0.4")), "experiment e had another 'load'");
  EXPECT_EQ(difference_to(keys, "seed: 2\n"), "it had another 'seed'");
  EXPECT_EQ(difference_to(keys, "", Setting::reduced), "it was not reduced");
  EXPECT_EQ(difference_to(std::string(keys) + "  - name: f\n"), "it had another number of experiments");
}

TEST(Manifest, TitlesRepeatsAndTimeoutsMayChange) {
  EXPECT_EQ(difference_to(with("title: All", "title: Some")), "");
  EXPECT_EQ(difference_to(with("at-most: 30", "at-most: 50")), "");
  EXPECT_EQ(difference_to(with("timeout: 2min", "timeout: 4min")), "");
}

}  // namespace
}  // namespace loadshare::sweep
