#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/error_of.hpp"
#include "tests/runtime/farm/farm_cases.hpp"
#include "tests/runtime/journal/journal_folder.hpp"

namespace loadshare::test {
namespace {

FarmOptions with_journal(const JournalFolder& folder, const char* scheduler = "send:5") {
  return {.scheduler = scheduler, .workers = 3, .journal = {.folder = folder.path(), .resumes = true}};
}

/// A loop of 100 iterations that can be made to fail at one of them.
RunRecord run_squares(const FarmOptions& options, Index fail_at = -1) {
  Farm farm(options);
  Squares squares(farm, 100, 3, 2500, Memory::farm);
  squares.piece_doubles = 1000;
  squares.fail_at = fail_at;
  RunRecord record = farm.run(squares);
  EXPECT_EQ(squares.first_wrong(), -1);
  EXPECT_TRUE(squares.has_prepared || record.journal->recovered < 100);
  return record;
}

TEST(JournalledFarm, ComputesOnlyTheMissingIterations) {
  const JournalFolder folder;
  EXPECT_THROW(run_squares(with_journal(folder), 52), Error);
  RunRecord record = run_squares(with_journal(folder, "gss"));
  ASSERT_TRUE(record.journal);
  EXPECT_GE(record.journal->recovered, 30) << "three workers held five each when it failed";
  Index computed = 0;
  for (const RankRecord& rank : record.ranks) computed += rank.iterations;
  EXPECT_EQ(computed + record.journal->recovered, 100);
  EXPECT_EQ(record.journal->kept, computed);

  record = run_squares(with_journal(folder));
  EXPECT_EQ(record.journal->recovered, 100);
  EXPECT_EQ(record.journal->kept, 0);
  EXPECT_EQ(record.chunks_total, 0);
}

TEST(JournalledFarm, KeepsEveryIterationOnceWithReissueAndPrefetch) {
  const JournalFolder folder;
  FarmOptions options = with_journal(folder, "send:1");
  options.reissue = Reissue::on;
  options.prefetch = 3;
  EXPECT_EQ(run_squares(options).journal->kept, 100);
  EXPECT_EQ(run_squares(options).journal->recovered, 100);
}

TEST(JournalledFarm, DetectsChangedInputs) {
  const JournalFolder folder;
  run_squares(with_journal(folder));
  Farm farm(with_journal(folder));
  Squares squares(farm, 100, 3, 2500, Memory::farm);
  squares.shared_input()[8] = std::byte{1};
  expect_failure(farm, squares, ExitCode::usage, {"is the journal of another job", "it has `inputs: "});
}

TEST(JournalledFarm, DetectsChangedDependencies) {
  const JournalFolder folder;
  const auto run = [&](std::string_view table) {
    Farm farm(with_journal(folder));
    farm.depends_on("a table");
    farm.depends_on(table);
    farm.map<Index>(50, [](Index i) { return i; });
  };
  run("of this");
  run("of this");
  EXPECT_THAT([&] { run("of that"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("(it has `depends_on: ")));
}

TEST(JournalledFarm, KeepsTheResultsOfMapAndReduce) {
  const JournalFolder folder;
  const auto square = [](Index i) { return i * i; };
  std::atomic<int> calls = 0;
  for (int time = 0; time < 2; ++time) {
    Farm farm(with_journal(folder));
    const std::vector<Index> squares = farm.map<Index>(50, [&](Index i) {
      ++calls;
      return square(i);
    });
    EXPECT_EQ(squares[49], 49 * 49);
    EXPECT_EQ(farm.reduce(10, Index{0}, square, std::plus<>()), 285);
  }
  EXPECT_EQ(calls, 50);
}

TEST(JournalledFarm, ReportsThatTheLastGroupCouldNotBeWritten) {
  const JournalFolder folder;
  Farm farm(with_journal(folder));
  Squares squares(farm, 100, 3, 2500, Memory::farm);
  std::string notes;
  RunControls controls;
  controls.on_note = [&](const std::string& note) { notes += note; };
  const FileLimit limit(600);  // enough for the head
  EXPECT_EQ(farm.run(squares, controls).journal->problem, "file too large");
  EXPECT_THAT(notes, testing::HasSubstr("cannot be written (file too large)"));
}

/// A workload whose results have no place if the journal's thread asks for more than one chunk.
class Moved final : public Workload {
 public:
  Index iterations() const override { return 100; }
  std::size_t output_bytes(Chunk chunk) const override {
    return sizeof(Index) * static_cast<std::size_t>(chunk.size);
  }
  std::span<std::byte> output(Chunk chunk) override {
    if (chunk.size > 5 && std::this_thread::get_id() != masters_) throw 42;
    return std::as_writable_bytes(std::span(values_).subspan(static_cast<std::size_t>(chunk.first),
                                                             static_cast<std::size_t>(chunk.size)));
  }
  void compute(Work& work) override {
    std::iota(&values_[static_cast<std::size_t>(work.chunk().first)],
              &values_[static_cast<std::size_t>(work.chunk().end() - 1)] + 1, work.chunk().first);
  }
  bool is_right() const {
    return std::ranges::all_of(values_,
                               [this](const Index& value) { return value == &value - values_.data(); });
  }

 private:
  std::thread::id masters_ = std::this_thread::get_id();
  std::vector<Index> values_ = std::vector<Index>(100, -1);
};

TEST(JournalledFarm, SurvivesResultsWithoutAPlace) {
  const JournalFolder folder;
  Farm farm(with_journal(folder));
  Moved moved;
  std::string notes;
  RunControls controls;
  controls.on_note = [&](const std::string& note) { notes += note; };
  EXPECT_EQ(farm.run(moved, controls).journal->problem, "an exception of unknown type");
  EXPECT_THAT(notes,
              testing::HasSubstr("cannot be written (an exception of unknown type): the run continues"));
  EXPECT_TRUE(moved.is_right());
}

TEST(JournalledFarm, RefusesResumeWithoutAJournal) {
  EXPECT_THAT(error_of([] { Farm farm({.journal = {.resumes = true}}); }),
              testing::HasSubstr("--resume without --journal"));
}

}  // namespace
}  // namespace loadshare::test
