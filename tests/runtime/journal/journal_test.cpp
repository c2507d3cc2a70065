#include "runtime/journal/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <new>
#include <thread>
#include <utility>

#include "tests/error_of.hpp"
#include "tests/failing_locks.hpp"
#include "tests/no_text.hpp"
#include "tests/runtime/journal/journal_folder.hpp"

namespace loadshare::test {
namespace {

/// The synced paths, in order, and a path for which syncing fails.
std::vector<std::string> synced;
std::string sync_that_fails;
/// Syncs by the journal's thread.
std::atomic<int> data_synced = 0;
std::atomic<bool> data_sync_fails = false;

}  // namespace
}  // namespace loadshare::test

/// Replaces the C library's function, whose calls a test cannot observe.
extern "C" int fdatasync(int file) {
  using namespace loadshare::test;
  if (!data_sync_fails) {
    ++data_synced;
    return static_cast<int>(::syscall(SYS_fdatasync, file));
  }
  errno = EIO;
  return -1;
}

extern "C" int fsync(int file) {
  using namespace loadshare::test;
  synced.push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file)));
  if (synced.back() != sync_that_fails) return static_cast<int>(::syscall(SYS_fsync, file));
  errno = EIO;
  return -1;
}

namespace loadshare {
namespace {

using test::NoText;
using test::Numbers;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// An earlier run that computed these chunks.
void begin(const std::string& folder, Index iterations, const std::vector<Chunk>& finished) {
  Numbers numbers(iterations);
  Journal journal({.folder = folder});
  const auto loop = journal.open(numbers.loop());
  for (const Chunk chunk : finished) numbers.compute(*loop, chunk);
}

TEST(Journal, ContinuesWithTheRemainingIterations) {
  const test::JournalFolder folder;
  begin(folder.path(), 100, {{20, 5}, {0, 10}, {10, 2}, {99, 1}});
  Numbers numbers(100);
  {
    Journal journal({.folder = folder.path(), .resumes = true});
    const auto loop = journal.open(numbers.loop());
    EXPECT_THAT(loop->open(), ElementsAre(Chunk{12, 8}, Chunk{25, 74}));
    EXPECT_EQ(loop->recovered(), 18);
    EXPECT_TRUE(numbers.are_all_but(loop->open()));
    numbers.compute(*loop, {25, 74});
    const JournalRecord& record = loop->close();
    EXPECT_EQ(record.kept, 74);
    EXPECT_EQ(record.bytes, 74 * sizeof(Index));
    EXPECT_EQ(record.syncs, 1) << "it is not complete";
  }
  Numbers again(100);
  Journal journal({.folder = folder.path(), .resumes = true});
  EXPECT_THAT(journal.open(again.loop())->open(), ElementsAre(Chunk{12, 8}));
}

TEST(Journal, ACompleteLoopHasNothingOpen) {
  const test::JournalFolder folder;
  begin(folder.path(), 10, {{0, 4}, {4, 6}});
  Numbers numbers(10);
  Journal journal({.folder = folder.path(), .resumes = true});
  const auto loop = journal.open(numbers.loop());
  EXPECT_THAT(loop->open(), IsEmpty());
  EXPECT_TRUE(numbers.are_all_but({}));
}

TEST(Journal, WritesFinishedChunksDuringTheLoop) {
  const test::JournalFolder folder, copy;
  Numbers numbers(10);
  Journal journal({.folder = folder.path()});
  const auto loop = journal.open(numbers.loop());
  const std::size_t empty = test::bytes_in(folder.log()).size();
  numbers.compute(*loop, {3, 4});
  for (int i = 0; i < 500 && test::bytes_in(folder.log()).size() == empty; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  test::put_bytes(copy.log(), test::bytes_in(folder.log()));  // as a process leaves it that is killed now
  Numbers again(10);
  Journal resumed({.folder = copy.path(), .resumes = true});
  EXPECT_THAT(resumed.open(again.loop())->open(), ElementsAre(Chunk{0, 3}, Chunk{7, 3}));
}

/// Resumes from a changed file: the loop is refused, or each recovered value is right and stays so when the
/// others are computed. Returns the number of recovered iterations; nothing: the loop was refused.
std::optional<Index> expect_never_wrong(const std::string& folder, Index iterations, bool goes_on) {
  Numbers numbers(iterations);
  Journal journal({.folder = folder, .resumes = true});
  std::unique_ptr<LoopJournal> loop;
  try {
    loop = journal.open(numbers.loop());
  } catch (const UsageError&) {
    return std::nullopt;
  }
  EXPECT_TRUE(numbers.are_all_but(loop->open()));
  if (!goes_on) return loop->recovered();
  for (const Chunk range : std::vector(loop->open())) numbers.compute(*loop, range);
  loop->close();
  EXPECT_TRUE(numbers.are_all_but({}));
  return loop->recovered();
}

const std::vector<Chunk> some_finished = {{0, 10}, {20, 5}, {99, 1}};

/// Returns the number of iterations in the records that end before byte `cut` of a file with the chunks
/// above, whose length is `size`. Returns nothing if the cut is within the head.
std::optional<Index> whole_before(std::size_t cut, std::size_t size) {
  const auto bytes_of = [](Chunk chunk) { return 32 + static_cast<std::size_t>(chunk.size) * sizeof(Index); };
  std::size_t end = size;
  for (const Chunk chunk : some_finished) end -= bytes_of(chunk);
  if (cut < end) return std::nullopt;
  Index iterations = 0;
  for (const Chunk chunk : some_finished)
    if ((end += bytes_of(chunk)) <= cut) iterations += chunk.size;
  return iterations;
}

TEST(Journal, AFileCutAtAnyByteIsRecoveredOrRefused) {
  const test::JournalFolder folder;
  begin(folder.path(), 100, some_finished);
  const std::string whole = test::bytes_in(folder.log());
  ASSERT_GT(whole.size(), 16 * sizeof(Index));
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    SCOPED_TRACE(bytes);
    test::put_bytes(folder.log(), whole.substr(0, bytes));
    EXPECT_EQ(expect_never_wrong(folder.path(), 100, true), whole_before(bytes, whole.size()));
    expect_never_wrong(folder.path(), 100, false);  // records were appended at the cut
  }
}

/// Writes past the cache and through it by turns, with records that begin anywhere in a block.
TEST(ChunkLog, LargeAndSmallGroupsAreReadAsTheyWereWritten) {
  constexpr std::size_t large = 1'500'001, small = 77;
  const test::JournalFolder folder;
  std::vector<std::byte> results(2 * large);
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = static_cast<std::byte>(i * 31 % 251);
  const std::vector<std::size_t> sizes{large, small, large, 2 * large, small, small, large};
  {
    ChunkLog log = ChunkLog::create(folder.log(), "large and small");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const FinishedChunk finished{{static_cast<Index>(i), 1}, std::span(results).first(sizes[i])};
      ASSERT_EQ(log.append(std::span(&finished, 1), Way::past_cache), 0);
    }
  }
  const std::string whole = test::bytes_in(folder.log());
  const auto recovered = [&] {
    ChunkLog log(folder.log());
    std::size_t count = 0;
    log.recover([&](const FinishedChunk& finished) {
      EXPECT_EQ(finished.chunk, (Chunk{static_cast<Index>(count), 1}));
      EXPECT_TRUE(std::ranges::equal(finished.results, std::span(results).first(sizes.at(count))));
      ++count;
      return true;
    });
    return count;
  };
  EXPECT_EQ(recovered(), sizes.size());
  EXPECT_LE(test::bytes_in(folder.log()).size(), whole.size()) << "zeros at the end are cut off";
  std::size_t before = 0;
  for (const std::size_t bytes : {std::size_t{4096}, large, large + 4096, 3 * large, whole.size() - 4096}) {
    test::put_bytes(folder.log(), whole.substr(0, bytes));
    const std::size_t count = recovered();
    EXPECT_LE(before, count);
    EXPECT_LT(count, sizes.size());
    before = count;
  }
}

TEST(Journal, AFileWithAnyBitChangedIsRecoveredOrRefused) {
  const test::JournalFolder folder;
  begin(folder.path(), 100, some_finished);
  const std::string whole = test::bytes_in(folder.log());
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    SCOPED_TRACE(bit);
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    test::put_bytes(folder.log(), damaged);
    EXPECT_EQ(expect_never_wrong(folder.path(), 100, false), whole_before(bit / 8, whole.size()));
  }
}

TEST(Journal, KeepsTheRecordsBeforeTheDamage) {
  const test::JournalFolder folder;
  {
    Numbers numbers(100);
    Journal journal({.folder = folder.path()});
    const auto loop = journal.open(numbers.loop());
    numbers.compute(*loop, {0, 10});
    numbers.compute(*loop, {50, 10});
  }
  std::string whole = test::bytes_in(folder.log());
  whole.back() = static_cast<char>(whole.back() ^ 1);
  test::put_bytes(folder.log(), whole);
  Numbers numbers(100);
  Journal journal({.folder = folder.path(), .resumes = true});
  EXPECT_THAT(journal.open(numbers.loop())->open(), ElementsAre(Chunk{10, 90}));
}

TEST(Journal, RefusesAnotherJobAndNamesBoth) {
  const test::JournalFolder folder;
  begin(folder.path(), 10, {{0, 4}});
  Numbers other(10, "job: numbers\ninputs: 8");
  Journal journal({.folder = folder.path(), .resumes = true});
  EXPECT_THAT(error_of([&] { journal.open(other.loop()); }),
              HasSubstr("(it has `inputs: 7`; this run has `inputs: 8`)"));
}

TEST(Journal, DoesNotOverwriteAnEarlierRun) {
  const test::JournalFolder folder;
  begin(folder.path(), 10, {{0, 4}});
  EXPECT_THAT(error_of([&] { Journal({.folder = folder.path()}); }),
              HasSubstr("continue that run with --resume"));
}

TEST(Journal, BelongsToOneProcessAtATime) {
  const test::JournalFolder folder;
  {
    const Journal journal({.folder = folder.path()});
    EXPECT_THAT(error_of([&] { Journal({.folder = folder.path()}); }), HasSubstr("is in use"));
  }
  EXPECT_NO_THROW(Journal({.folder = folder.path()})) << "the file is no lock";
}

TEST(Journal, IsNotInUseIfTheFileSystemCannotLock) {
  const test::JournalFolder folder;
  for (const auto& [error, reason] : {std::pair(ENOLCK, "no locks available"),
                                      {EOPNOTSUPP, "operation not supported"},
                                      {ENOSYS, "function not implemented"}}) {
    const test::FailingLocks failing(error);
    EXPECT_EQ(error_of([&] { Journal({.folder = folder.path()}); }),
              "cannot lock the journal in " + folder.path() +
                  " (this file system cannot lock files: " + reason + "); name a folder on a local disk");
  }
  const test::FailingLocks interrupted(EINTR, 3);
  EXPECT_NO_THROW(Journal({.folder = folder.path()}));
}

TEST(Journal, IsFreeAfterItsProcessWasKilled) {
  const test::JournalFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const Journal journal({.folder = folder.path()});
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/lock"));
  EXPECT_NO_THROW(Journal({.folder = folder.path()}));
}

TEST(Journal, KeepsEachLoopOfARun) {
  const test::JournalFolder folder;
  for (const bool resumes : {false, true}) {
    Journal journal({.folder = folder.path(), .resumes = resumes});
    for (Index iterations : {3, 5}) {
      Numbers numbers(iterations, "loop of " + std::to_string(iterations));
      const auto loop = journal.open(numbers.loop());
      EXPECT_EQ(loop->recovered(), resumes ? iterations : 0);
      for (const Chunk range : std::vector(loop->open())) numbers.compute(*loop, range);
    }
  }
}

TEST(Journal, SyncsALoopsEndBeforeTheNextLoopsLog) {
  const test::JournalFolder folder;
  Journal journal({.folder = folder.path(), .limit_bytes = 200});
  Numbers first(12), too_large(100), third(12);
  const auto loop = journal.open(first.loop());
  first.compute(*loop, {0, 12});
  loop->close();
  journal.open(too_large.loop())->close();
  test::synced.clear();
  journal.open(third.loop());
  EXPECT_THAT(test::synced, ElementsAre(folder.log(0), folder.log(2) + ".new", folder.path()));
}

TEST(Journal, SyncsEveryNameOfItsPath) {
  const test::JournalFolder folder;
  test::synced.clear();
  Numbers numbers(3);
  Journal({.folder = folder.path() + "/a/b/"}).open(numbers.loop());
  const std::string a = folder.path() + "/a", b = a + "/b";
  EXPECT_THAT(test::synced, ElementsAre(folder.path(), a, b + "/loop-0.log.new", b));
}

TEST(Journal, IsRefusedIfItsNameCannotBeSynced) {
  const test::JournalFolder folder;
  test::sync_that_fails = folder.path();
  Numbers numbers(3);
  Journal journal({.folder = folder.path()});
  EXPECT_THAT(error_of([&] { journal.open(numbers.loop()); }), HasSubstr("cannot sync " + folder.path()));
  test::sync_that_fails.clear();
}

TEST(Journal, ExceedingTheLimitIsRefusedForTheFirstLoopAndNotedLater) {
  const test::JournalFolder folder;
  Journal journal({.folder = folder.path(), .limit_bytes = 100});
  Numbers first(12);
  journal.open(first.loop())->close();
  Numbers second(1);
  const auto loop = journal.open(second.loop());
  second.compute(*loop, {0, 1});
  EXPECT_FALSE(loop->close().is_safe());
  EXPECT_THAT(loop->take_note().value_or(""), HasSubstr("do not fit"));

  const test::JournalFolder other;
  Journal small({.folder = other.path(), .limit_bytes = 95});
  EXPECT_THAT(error_of([&] { small.open(first.loop()); }), HasSubstr("--journal-limit is 95 bytes"));
}

TEST(Journal, LackOfRoomForALaterLoopIsNotedAndTheRunGoesOn) {
  const test::JournalFolder folder;
  Journal journal({.folder = folder.path()});
  Numbers first(12), second(12);
  journal.open(first.loop())->close();
  test::sync_that_fails = folder.log(1) + ".new";
  const auto loop = journal.open(second.loop());
  test::sync_that_fails.clear();
  second.compute(*loop, {0, 12});
  EXPECT_FALSE(loop->close().is_safe());
  EXPECT_THAT(loop->take_note().value_or(""), HasSubstr("not kept in the journal: cannot write"));
  EXPECT_FALSE(std::filesystem::exists(folder.log(1) + ".new"));
}

TEST(Journal, LackOfMemoryIsNotedAndTheLoopGoesOn) {
  const test::JournalFolder folder;
  Numbers numbers(10);
  JournalledLoop whole = numbers.loop();
  whole.results = [results = whole.results, here = std::this_thread::get_id()](Chunk chunk) {
    if (std::this_thread::get_id() != here) throw std::bad_alloc();
    return results(chunk);
  };
  Journal journal({.folder = folder.path()});
  const auto loop = journal.open(whole);
  numbers.compute(*loop, {0, 10});
  EXPECT_EQ(loop->close().problem, "cannot allocate memory");
  EXPECT_THAT(loop->take_note().value_or(""), HasSubstr("the run continues"));
}

// An exception of the application ends the journal but not the run, like a full disk.
TEST(Journal, AnExceptionOfTheApplicationIsNotedAndTheLoopGoesOn) {
  const std::function<void()> number = [] { throw 42; };
  const std::function<void()> nothing = [] { throw NoText(); };
  const std::function<void()> text = [] { throw std::runtime_error("the results have moved"); };
  for (const auto& [thrown, problem] : {std::pair{number, "an exception of unknown type"},
                                        {nothing, "an exception without a text"},
                                        {text, "the results have moved"}}) {
    const test::JournalFolder folder;
    Numbers numbers(10);
    JournalledLoop whole = numbers.loop();
    whole.results = [results = whole.results, here = std::this_thread::get_id(),
                     thrown = thrown](Chunk chunk) {
      if (std::this_thread::get_id() != here) thrown();
      return results(chunk);
    };
    Journal journal({.folder = folder.path()});
    const auto loop = journal.open(whole);
    numbers.compute(*loop, {0, 10});
    EXPECT_EQ(loop->close().problem, problem);
    EXPECT_EQ(loop->close().kept, 0);
    EXPECT_THAT(loop->take_note().value_or(""),
                HasSubstr("cannot be written (" + std::string(problem) + "): the run continues"));
  }
}

TEST(Journal, RefusesALoopWithoutResults) {
  const test::JournalFolder folder;
  Journal journal({.folder = folder.path()});
  const JournalledLoop loop{
      .about = "", .iterations = 5, .results = [](Chunk) { return std::span<std::byte>(); }};
  EXPECT_THAT(error_of([&] { journal.open(loop); }), HasSubstr("no results"));
}

/// A run that has begun is worth more than its journal.
TEST(Journal, SkipsALaterLoopWithoutResults) {
  const test::JournalFolder folder;
  Journal journal({.folder = folder.path()});
  Numbers numbers(10);
  numbers.compute(*journal.open(numbers.loop()), {0, 10});
  const auto loop =
      journal.open({.about = "", .iterations = 5, .results = [](Chunk) { return std::span<std::byte>(); }});
  EXPECT_THAT(loop->take_note().value_or(""), HasSubstr("no results that a journal could keep"));
  EXPECT_THAT(loop->open(), ElementsAre(Chunk{0, 5}));
  EXPECT_FALSE(loop->close().is_safe());
}

TEST(Journal, StaysInItsFolderWhenTheProgramChangesFolders) {
  const test::JournalFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directories(folder.path() + "/elsewhere");
  std::filesystem::current_path(folder.path());
  {
    Journal journal({.folder = "kept"});
    std::filesystem::current_path("elsewhere");
    Numbers numbers(10);
    numbers.compute(*journal.open(numbers.loop()), {0, 10});
  }
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/kept/loop-0.log"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() + "/elsewhere"));
}

/// The kernel drops data that it cannot write, so only the results of earlier syncs count.
TEST(Journal, DoesNotCountResultsOfAFailedSync) {
  const test::JournalFolder folder;
  Journal journal({.folder = folder.path()});
  Numbers numbers(1000);
  const auto loop = journal.open(numbers.loop());
  test::data_synced = 0;
  numbers.compute(*loop, {0, 100});
  const auto await = [](auto is_there) {
    for (int i = 0; i < 500 && !is_there(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  await([] { return test::data_synced > 0; });
  test::data_sync_fails = true;
  numbers.compute(*loop, {100, 100});
  std::optional<std::string> note;
  await([&] { return (note = loop->take_note()).has_value(); });
  test::data_sync_fails = false;
  EXPECT_THAT(note.value_or(""), HasSubstr("input/output error"));
  const JournalRecord& record = loop->close();
  EXPECT_EQ(record.kept, 100);
  EXPECT_EQ(record.bytes, 100 * sizeof(Index));
}

/// `folder`: on tmpfs the kernel also applies the limit to reservations.
void expect_end_at_limit(const test::JournalFolder& folder) {
  Numbers numbers(10'000);
  {
    Journal journal({.folder = folder.path()});
    const test::FileLimit limit(4096);
    const auto loop = journal.open(numbers.loop());
    numbers.compute(*loop, {0, 100});
    std::optional<std::string> note;
    for (int i = 0; i < 500 && !(note = loop->take_note()); ++i) {
      if (i == 30) numbers.compute(*loop, {100, 9'000});
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    numbers.compute(*loop, {9'100, 900});
    EXPECT_THAT(note.value_or(""), HasSubstr("the run continues"));
    const JournalRecord& record = loop->close();
    EXPECT_EQ(record.problem, "file too large");
    EXPECT_EQ(record.kept, 100);
    EXPECT_TRUE(numbers.are_all_but({}));
  }
  Numbers again(10'000);
  Journal journal({.folder = folder.path(), .resumes = true});
  EXPECT_THAT(journal.open(again.loop())->open(), ElementsAre(Chunk{100, 9'900}));
}

TEST(Journal, AWriteErrorIsNotedAndTheLoopGoesOn) {
  expect_end_at_limit(test::JournalFolder());
  if (std::filesystem::exists("/dev/shm")) expect_end_at_limit(test::JournalFolder("/dev/shm"));
}

/// Returns the record of a loop whose log is damaged by `happens` during the loop. `more_finishes`: another
/// chunk finishes afterwards.
JournalRecord record_after(const std::function<void(const test::JournalFolder&)>& happens,
                           bool more_finishes) {
  const test::JournalFolder folder;
  Numbers numbers(1'000);
  Journal journal({.folder = folder.path()});
  const auto loop = journal.open(numbers.loop());
  numbers.compute(*loop, {0, 500});
  for (int i = 0; i < 500 && std::filesystem::file_size(folder.log()) < 500 * sizeof(Index); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  happens(folder);
  if (more_finishes) numbers.compute(*loop, {500, 400});
  const JournalRecord record = loop->close();
  EXPECT_THAT(loop->take_note().value_or(""), HasSubstr("the journal is lost (" + record.problem + ")"));
  return record;
}

TEST(Journal, IsNotSafeIfItsFileWasRemovedOrEmptied) {
  const auto remove = [](const test::JournalFolder& folder) { std::filesystem::remove_all(folder.path()); };
  const auto empty = [](const test::JournalFolder& folder) { std::filesystem::resize_file(folder.log(), 0); };
  for (const bool more_finishes : {false, true}) {
    const JournalRecord removed = record_after(remove, more_finishes);
    EXPECT_FALSE(removed.is_safe());
    EXPECT_EQ(removed.problem, "its file was removed");
    EXPECT_EQ(removed.kept, 0);
    EXPECT_EQ(record_after(empty, more_finishes).problem, "its file was cut off");
  }
}

}  // namespace
}  // namespace loadshare
