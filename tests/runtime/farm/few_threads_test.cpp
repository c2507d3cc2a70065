#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "runtime/journal/journal.hpp"
#include "runtime/load/injector.hpp"
#include "runtime/load/load_spec.hpp"
#include "runtime/transport/tcp/page_server.hpp"
#include "tests/error_of.hpp"
#include "tests/granted_threads.hpp"
#include "tests/runtime/farm/farm_cases.hpp"
#include "tests/runtime/journal/journal_folder.hpp"
#include "tests/runtime/transport/tcp/tcp_ranks.hpp"

// Parts that need threads when the system refuses further ones: each ends with an error, and none waits
// forever.

namespace loadshare::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* too_few = "could be started (resource temporarily unavailable";

TEST(FewThreads, AFarmOfThreadsSaysHowManyItGot) {
  for (const int granted : {0, 1, 3}) {
    const GrantedThreads threads(granted);
    Farm farm({.workers = 5});
    const std::string text = thrown_text([&] { run_and_check(farm, {"few threads"}); });
    EXPECT_THAT(text, StartsWith("only " + std::to_string(granted) + " of 5 worker threads " + too_few));
    EXPECT_THAT(text, HasSubstr("); use fewer --workers"));
  }
}

TEST(FewThreads, AFarmRunsAgainOnceThereAreEnough) {
  Farm farm({.workers = 5});
  {
    const GrantedThreads threads(2);
    EXPECT_THAT(thrown_text([&] { run_and_check(farm, {"few threads"}); }), HasSubstr(too_few));
  }
  run_and_check(farm, {"enough threads"});
}

/// The error of a member that is granted fewer threads than it has workers.
std::jthread join_with_few_threads(const std::string& address, Index workers, int granted,
                                   std::string& text) {
  return std::jthread([=, &text] {
    text = thrown_text([&] {
      Farm farm({.workers = workers, .network = {.join = address}});
      const GrantedThreads threads(granted);
      Squares squares(farm, 40, 3, 10, Memory::farm);
      farm.run(squares);
    });
  });
}

TEST(FewThreads, AMemberLeavesAndTheMasterGoesOn) {
  for (const auto& [workers, granted] : {std::pair{Index{1}, 0}, {Index{3}, 0}, {Index{3}, 2}}) {
    std::string text;
    std::jthread member;
    FarmOptions options{.scheduler = "send:1",
                        .workers = 1,
                        .network = {.listen = "127.0.0.1:0", .expect = static_cast<int>(workers) + 1}};
    options.network.note =
        note_address([&, workers = workers, granted = granted](const std::string& address) {
          member = join_with_few_threads(address, workers, granted, text);
        });
    Farm farm(options);
    Squares squares(farm, 40, 3, 10, Memory::farm);
    squares.sleep_s = 5e-3;
    const RunRecord record = farm.run(squares);
    EXPECT_EQ(squares.first_wrong(), -1);
    member.join();
    EXPECT_THAT(text, StartsWith("only " + std::to_string(granted) + " of " + std::to_string(workers)));
    ASSERT_TRUE(record.membership);
    EXPECT_EQ(record.membership->events.back().what, MemberEvent::What::left) << "and was not lost";
  }
}

TEST(FewThreads, AMasterThatWorksEndsAndItsMembersToo) {
  std::string text;
  std::jthread member;
  FarmOptions options{.workers = 3, .network = {.listen = "127.0.0.1:0", .expect = 4}};
  options.network.note = note_address([&](const std::string& address) {
    member = std::jthread([address, &text] {
      text = thrown_text([&] {
        Farm farm({.workers = 1, .network = {.join = address}});
        run_and_check(farm, {"a member"});
      });
    });
  });
  {
    Farm farm(options);
    Squares squares(farm, 100, 3, 2500, Memory::farm);
    const GrantedThreads threads(1);
    EXPECT_THAT(thrown_text([&] { farm.run(squares); }), StartsWith("only 1 of 3 worker threads"));
  }
  member.join();
  EXPECT_THAT(text, HasSubstr("the master has ended"));
}

// For the first loop it is an error, for a later one not, as if its log cannot be made.
TEST(FewThreads, AJournalIsRefusedOrTheLoopNotKept) {
  const JournalFolder folder;
  Numbers first(10), second(10), third(10);
  const auto open_without_thread = [](Journal& journal, Numbers& numbers) {
    const GrantedThreads threads(0);
    return journal.open(numbers.loop());
  };
  {
    Journal journal({.folder = folder.path()});
    try {
      open_without_thread(journal, first);
      FAIL() << "the first loop began without its journal";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(),
                  StartsWith("the system cannot start a thread for the journal (resource temp"));
    }
  }
  Journal journal({.folder = folder.path(), .resumes = true});
  first.compute(*journal.open(first.loop()), {0, 10});
  const auto loop = open_without_thread(journal, second);
  second.compute(*loop, {0, 10});
  EXPECT_FALSE(loop->close().is_safe());
  EXPECT_THAT(
      loop->take_note().value_or(""),
      StartsWith("the loop is not kept in the journal: the system cannot start a thread for the journal"));
  const auto next = journal.open(third.loop());
  third.compute(*next, {0, 10});
  EXPECT_EQ(next->close().kept, 10);
}

TEST(FewThreads, AStatusPageIsAnErrorAndNoCrash) {
  const GrantedThreads threads(0);
  EXPECT_THAT(thrown_text([] { tcp::PageServer("0", {}, [] { return std::string(); }); }),
              StartsWith("the system cannot start a thread for --status (resource temporarily unavailable"));
}

TEST(FewThreads, ALoadEndsThoseOfItsThreadsThatItGot) {
  const LoadPlan plan = parse_load_spec("constant,share=0.7").plan_for(0);
  for (const int granted : {0, 1, 2}) {
    const GrantedThreads threads(granted);
    EXPECT_THAT(thrown_text([&] { Injector(plan, {}, 0); }),
                StartsWith("the system cannot start a thread for the load"));
  }
}

// Its process is made with the farm, and its threads with the run.
TEST(FewThreads, ALoadWithoutThreadsSaysWhyItEndedEarly) {
  std::optional<Farm> farm;
  {
    const GrantedThreads threads(0);
    farm.emplace(FarmOptions{.scheduler = "send:5", .workers = 2, .load = "constant,where=1"});
  }
  Squares squares(*farm, 20, 1, 0, Memory::farm);
  squares.sleep_s = 10e-3;
  const RunRecord record = farm->run(squares);
  EXPECT_THAT(record.notes,
              testing::Contains(StartsWith("the load process of rank 1 ended before the run (the system "
                                           "cannot start a thread for the load (resource temporarily")));
}

}  // namespace
}  // namespace loadshare::test
