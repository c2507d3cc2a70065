#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "runtime/farm/loop_status.hpp"
#include "tests/runtime/farm/farm_cases.hpp"
#include "tests/runtime/journal/journal_folder.hpp"
#include "tests/runtime/transport/tcp/tcp_ranks.hpp"

// A thread that gets no more memory, as under `ulimit -v`: its work ends with an error or goes on. It neither
// hangs nor ends the process.

namespace loadshare::test {
namespace {

constexpr int any_number = -1;
thread_local int granted = any_number;  // allocations of this thread, before each fails
thread_local bool has_lacked = false;   // whether one has failed

/// From now on the calling thread is granted this number of allocations, and no more.
void grant(int allocations) {
  granted = allocations;
  has_lacked = false;
}
void grant_any() {
  granted = any_number;
}

}  // namespace
}  // namespace loadshare::test

void* operator new(std::size_t bytes) {
  using namespace loadshare::test;
  if (granted == 0) {
    has_lacked = true;
    throw std::bad_alloc();
  }
  if (granted > 0) --granted;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace loadshare::test {
namespace {

/// Ten iterations that cost nothing. From just before its workers' threads start until the loop is complete,
/// the calling thread gets a limited number of allocations.
class Starved final : public Workload {
 public:
  explicit Starved(int allocations) : allocations_(allocations) {}
  Index iterations() const override { return 10; }
  void compute(Work&) override {}
  std::string way() const override {
    grant(allocations_);
    return {};
  }
  /// Returns whether it lacked memory.
  bool run(Farm& farm) {
    RunControls controls;
    controls.on_status = [](const LoopStatus& status) {
      if (status.done == status.iterations) grant_any();
    };
    try {
      farm.run(*this, controls);
    } catch (const std::exception&) {
      EXPECT_TRUE(has_lacked);
    }
    grant_any();
    return has_lacked;
  }

 private:
  int allocations_;
};

TEST(NoMemory, OfTheMasterWhileItsWorkersStartOrWorkHangsNothing) {
  Farm farm({.scheduler = "send:1", .workers = 3});
  int allocations = 0;
  while (Starved(allocations).run(farm) && allocations < 500) ++allocations;
  EXPECT_GT(allocations, 3) << "it starts three threads";
  EXPECT_LT(allocations, 500);
}

TEST(NoMemory, OfTheJournalsThreadEndsTheJournalAlone) {
  const JournalFolder folder;
  Numbers numbers(10);
  JournalledLoop whole = numbers.loop();
  whole.results = [results = whole.results, here = std::this_thread::get_id()](Chunk chunk) {
    if (std::this_thread::get_id() != here) grant(0);
    return results(chunk);
  };
  Journal journal({.folder = folder.path()});
  const auto loop = journal.open(whole);
  numbers.compute(*loop, {0, 10});
  EXPECT_EQ(loop->close().problem, "no memory");
  EXPECT_EQ(loop->take_note(), "journal is lost");
  EXPECT_TRUE(numbers.are_all_but({}));
}

// A member waits for another loop that its master never begins.
TEST(NoMemory, OfTheMasterAtTheEndOfAFarmOverTcpEndsNothingElse) {
  std::jthread member;
  FarmOptions options{.workers = 1, .network = {.listen = "127.0.0.1:0", .expect = 2}};
  options.network.note = note_address([&](const std::string& address) {
    member = std::jthread([address] {
      try {
        Farm farm({.workers = 1, .network = {.join = address}});
        for (int loop = 0; loop < 2; ++loop) run_and_check(farm, {"a member"});
        ADD_FAILURE() << "there was a second loop";
      } catch (const Error&) {  // its master is gone
      }
    });
  });
  std::optional<Farm> farm(options);
  run_and_check(*farm, {"a master"});
  grant(0);
  farm.reset();
  grant_any();
  EXPECT_TRUE(has_lacked) << "its end needs no memory";
}

}  // namespace
}  // namespace loadshare::test
