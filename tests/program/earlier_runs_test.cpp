#include "program/earlier_runs.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/records/json.hpp"
#include "tests/error_of.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

/// Two hosts, of which the second computes half as fast: ten chunks of ten iterations each.
RunRecord sample_run() {
  RunRecord run;
  run.app = "sums";
  run.scheduler = "steady";
  run.workers = 2;
  run.iterations = 200;
  run.makespan_s = 2;
  run.transport = "mpi";
  run.loop = LoopRecord{};
  for (const int rank : {0, 1}) {
    RankRecord row;
    row.rank = rank;
    row.worker = WorkerId{static_cast<std::uint32_t>(rank)};
    row.host = rank == 0 ? "fast" : "slow";
    run.ranks.push_back(row);
    for (int i = 0; i < 10; ++i) {
      const double each_s = 0.1 * (rank + 1), begun_s = i * each_s;
      run.chunks.push_back({{100 * rank + 10 * i, 10},
                            *row.worker,
                            begun_s,
                            begun_s,
                            begun_s,
                            begun_s + each_s,
                            begun_s + each_s,
                            each_s});
    }
  }
  return run;
}

LoopIdentity identity(std::vector<std::string> hosts = {"fast", "slow"}) {
  return {"sums", R"({"n":200})", "mpi", std::move(hosts), 200};
}

class EarlierRunsTest : public testing::Test {
 protected:
  EarlierRunsTest() {
    std::string name = (fs::temp_directory_path() / "earlier-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  ~EarlierRunsTest() override {
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    fs::remove_all(folder_);
  }

  std::vector<fs::path> cached() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) files.push_back(entry.path());
    return files;
  }
  std::string file(const RunRecord& run) const {
    const std::string path = folder_ / "runs.jsonl";
    std::ofstream(path) << to_json_line(run) << "\n";
    return path;
  }

  fs::path folder_;
};

TEST_F(EarlierRunsTest, TheNextRunKnowsAKeptRun) {
  EarlierRuns runs("");
  EXPECT_EQ(runs.known(identity()).source, "");
  runs.keep(identity(), sample_run());
  EXPECT_FALSE(runs.known(identity()).run);  // the farm itself has learned more
  EarlierRuns next("");
  const KnownBefore known = next.known(identity());
  ASSERT_TRUE(known.run);
  EXPECT_EQ(known.run->chunks.size(), 20u);
  EXPECT_DOUBLE_EQ(known.run->chunks[1].returned_s, 0.2);
  EXPECT_EQ(known.source, cached().at(0).string());
  EXPECT_THAT(next.notes(), testing::IsEmpty());
}

TEST_F(EarlierRunsTest, DistinguishesLoops) {
  EarlierRuns("").keep(identity(), sample_run());
  EarlierRuns runs("");
  EXPECT_TRUE(runs.known(identity()).run);
  LoopIdentity other = identity();
  other.job = R"({"n":201})";
  EXPECT_FALSE(runs.known(other).run);
  EXPECT_FALSE(runs.known(identity({"fast", "fast"})).run);
  other = identity();
  other.transport = "threads";
  EXPECT_FALSE(runs.known(other).run);
  other = identity();
  other.program = "others";
  EXPECT_FALSE(runs.known(other).run);
}

TEST_F(EarlierRunsTest, ADamagedFileIsMeasuredAgainWithANote) {
  EarlierRuns("").keep(identity(), sample_run());
  EarlierRuns runs("");
  for (const char* content : {"", "{\"schema\":1", "{\"schema\":1}\n", "no JSON\n", "[]\n"}) {
    std::ofstream(cached().at(0)) << content;
    EXPECT_FALSE(runs.known(identity()).run) << content;
    ASSERT_EQ(runs.notes().size(), 1u) << content;
    EXPECT_THAT(runs.notes()[0], testing::StartsWith("auto measures again, because its cache is damaged: "));
  }
  runs.keep(identity(), sample_run());
  EarlierRuns next("");
  EXPECT_TRUE(next.known(identity()).run);
  EXPECT_THAT(next.notes(), testing::IsEmpty());
}

TEST_F(EarlierRunsTest, KeepsNothingOnRequestOrIfItCannot) {
  EarlierRuns("none").keep(identity(), sample_run());
  LoopIdentity loop = identity();
  loop.job.clear();
  EarlierRuns("").keep(loop, sample_run());
  EarlierRuns("").keep(identity({}), sample_run());
  EXPECT_THAT(cached(), testing::IsEmpty());
  setenv("XDG_CACHE_HOME", "/dev/null", 1);
  EarlierRuns("").keep(identity(), sample_run());
  EXPECT_FALSE(EarlierRuns("").known(identity()).run);
}

TEST_F(EarlierRunsTest, MakesNoHome) {
  unsetenv("XDG_CACHE_HOME");
  const std::string before = getenv("HOME") != nullptr ? getenv("HOME") : "";
  setenv("HOME", (folder_ / "nowhere").c_str(), 1);
  EarlierRuns("").keep(identity(), sample_run());
  EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
  setenv("HOME", before.c_str(), 1);
}

TEST_F(EarlierRunsTest, KeepsSomeOfManyChunksFromTheWholeRun) {
  RunRecord run = sample_run();
  while (run.chunks.size() < 5000) {
    ChunkRecord chunk = run.chunks.back();
    chunk.assigned_s = chunk.begun_s, chunk.returned_s += 0.2;  // it was queued behind the one before
    run.chunks.push_back(chunk);
  }
  EarlierRuns("").keep(identity(), run);
  const auto known = EarlierRuns("").known(identity()).run;
  ASSERT_TRUE(known);
  EXPECT_LE(known->chunks.size(), 514u);
  EXPECT_EQ(known->chunks.front().worker, WorkerId{0});
  EXPECT_GT(known->chunks.back().returned_s, 0.99 * run.chunks.back().returned_s);
  EXPECT_NEAR(known->chunks.back().returned_s - known->chunks.back().assigned_s, 0.2, 1e-9);
}

TEST_F(EarlierRunsTest, KeepsOnlyTheLatestLoops) {
  EarlierRuns runs("");
  for (int n = 0; n < 260; ++n) {
    LoopIdentity loop = identity();
    loop.job = std::to_string(n);
    runs.keep(loop, sample_run());
  }
  EXPECT_EQ(cached().size(), 256u);
}

TEST_F(EarlierRunsTest, WorkersOfANamedFileAreFoundByTheirHosts) {
  const KnownBefore known = EarlierRuns(file(sample_run())).known(identity({"slow", "fast"}));
  ASSERT_TRUE(known.run);
  EXPECT_EQ(known.run->chunks.front().worker, WorkerId{1});
  EXPECT_EQ(known.run->ranks.front().worker, WorkerId{1});
}

TEST_F(EarlierRunsTest, RunsOfAnotherLoopGiveSpeedsOnly) {
  LoopIdentity loop = identity();
  loop.iterations = 999;
  const KnownBefore known = EarlierRuns(file(sample_run())).known(loop);
  EXPECT_FALSE(known.run);
  ASSERT_EQ(known.speeds.size(), 2u);
  EXPECT_NEAR(known.speeds[0] / known.speeds[1], 2, 1e-9);
}

TEST_F(EarlierRunsTest, OptionsDistinguishLoops) {
  RunRecord run = sample_run();
  run.options["--cost"] = 0.5;
  run.options["kernel"] = std::string("tuned");
  const std::string path = file(run);
  LoopIdentity loop = identity();
  loop.options = {{"--cost", 0.5}};
  loop.parameters = {{"kernel", "tuned"}, {"unrecorded", "1"}};
  EarlierRuns same(path);
  EXPECT_TRUE(same.known(loop).run);
  EXPECT_THAT(same.notes(), testing::IsEmpty());
  const auto note_on = [&path](const LoopIdentity& other) {
    EarlierRuns runs(path);
    EXPECT_FALSE(runs.known(other).run);
    return runs.notes().empty() ? "" : runs.notes().front();
  };
  LoopIdentity other = loop;
  other.options = {{"--cost", 0.25}};
  EXPECT_THAT(note_on(other), testing::HasSubstr("another loop (--cost: 0.5 in the record, 0.25 here)"));
  other.options = {{"--cost", 0.5}, {"--fine", true}};
  EXPECT_THAT(note_on(other), testing::HasSubstr("(--fine: nothing in the record, true here)"));
  other = loop;
  other.parameters["kernel"] = "naive";
  EXPECT_THAT(note_on(other), testing::HasSubstr("(kernel: tuned in the record, naive here)"));
}

TEST_F(EarlierRunsTest, RefusesAFileWithOtherHosts) {
  const std::string path = file(sample_run());
  const std::string text = error_of([&] { EarlierRuns(path).known(identity({"fast", "else"})); });
  EXPECT_THAT(text, testing::HasSubstr("has no run of these hosts"));
  EXPECT_THAT(text, testing::HasSubstr("their names are fast, else"));
  EXPECT_THAT(error_of([&] { EarlierRuns("/nowhere.jsonl").known(identity()); }),
              testing::HasSubstr("cannot read /nowhere.jsonl"));
}

}  // namespace
}  // namespace loadshare
