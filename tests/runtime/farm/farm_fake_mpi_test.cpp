#include <fstream>
#include <initializer_list>
#include <random>

#include "tests/runtime/farm/fake_farm.hpp"
#include "tests/runtime/farm/farm_cases.hpp"

namespace loadshare::test {
namespace {

/// A farm and a network as they come.
struct Drawn {
  FakeMpi fake;
  FarmCase farm;
};

template <class T>
T one_of(std::initializer_list<T> all, std::mt19937_64& random) {
  return all.begin()[random() % all.size()];
}

Drawn draw(std::uint64_t seed, std::initializer_list<double> delays_s) {
  std::mt19937_64 random(seed);
  Drawn drawn;
  FakeMpi& fake = drawn.fake;
  fake.seed = seed;
  fake.ranks = one_of({2, 3, 4, 4}, random);
  fake.ranks_per_machine = one_of({0, 1, 2}, random);
  fake.eager_bytes = one_of<std::size_t>({0, 64, 4096, 1 << 20}, random);
  fake.most_delay_s = one_of(delays_s, random);
  fake.most_threads =
      one_of({ThreadLevel::funneled, ThreadLevel::serialized, ThreadLevel::serialized}, random);
  FarmOptions& options = drawn.farm.options;
  options.scheduler = one_of<const char*>(
      {"send:1", "send:5", "gss", "factoring", "tss", "adaptive:3,1,9", "wf:weights=1:2:3", "awf", "awf-b",
       "af", "bold:mu=0.001,sigma=0.001,overhead=0.0001"},
      random);
  options.master = one_of({MasterMode::works, MasterMode::coordinates}, random);
  options.master_rank = static_cast<int>(random() % static_cast<std::uint64_t>(fake.ranks));
  options.ranks_per_host = one_of({0, 1, 1, 2}, random);
  options.prefetch = one_of<Index>({0, 1, 4}, random);
  options.reissue = one_of({Reissue::off, Reissue::on}, random);
  options.wait = one_of({WaitPolicy::automatic, WaitPolicy::nap}, random);
  drawn.farm.iterations = one_of<Index>({1, 7, 60}, random);
  drawn.farm.width = one_of<std::size_t>({0, 1, 300}, random);
  drawn.farm.shared_doubles = one_of<std::size_t>({0, 10, 5000, 30000, 100000}, random);
  drawn.farm.memory = one_of({Memory::own, Memory::farm}, random);
  // Several to a message, or several messages each.
  drawn.farm.piece_doubles = one_of<std::size_t>({1000, 20000}, random);
  drawn.farm.at_once = one_of<Index>({1, 20}, random);
  return drawn;
}

class DrawnFarm : public testing::TestWithParam<int> {};

// The second run finds whatever the first has left on its way.
TEST_P(DrawnFarm, ComputesEveryIterationOnceAndAgain) {
  const Drawn drawn = draw(static_cast<std::uint64_t>(GetParam()), {0, 100e-6, 1e-3});
  run_farm_ranks(drawn.fake, [&] {
    Farm farm(drawn.farm.options);
    for (int run = 0; run < 2; ++run) run_and_check(farm, drawn.farm);
  });
}

// Slow, so that the shared input is still on its way when the run fails.
TEST_P(DrawnFarm, ComputesAfterFailures) {
  const Drawn drawn = draw(1000 + static_cast<std::uint64_t>(GetParam()), {200e-6, 2e-3});
  run_farm_ranks(drawn.fake, [&] {
    Farm farm(drawn.farm.options);
    for (const Index fail_at : {Index{0}, drawn.farm.iterations / 2}) {
      Squares failing(farm, drawn.farm.iterations, 1, 100000, drawn.farm.memory);
      failing.piece_doubles = drawn.farm.piece_doubles;
      failing.fail_at = fail_at;
      expect_failure(farm, failing, ExitCode::run_failed, {"is unlucky"});
    }
    run_and_check(farm, drawn.farm);
  });
}

TEST_P(DrawnFarm, LeavesOutWhatFails) {
  Drawn drawn = draw(2000 + static_cast<std::uint64_t>(GetParam()), {0, 100e-6, 1e-3});
  drawn.farm.width = std::max<std::size_t>(1, drawn.farm.width);
  drawn.farm.options.on_failure = GetParam() % 2 == 0 ? "skip:0" : "skip:2";
  run_farm_ranks(drawn.fake, [&] {
    Farm farm(drawn.farm.options);
    expect_one_left_out(farm, drawn.farm, drawn.farm.iterations / 2);
    run_and_check(farm, drawn.farm);
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, DrawnFarm, testing::Range(0, 40));

TEST(FakeFarm, RefusesAnMpiWithoutThreads) {
  run_farm_ranks({.most_threads = ThreadLevel::single, .may_leak = true},
                 [] { EXPECT_THROW(Farm(FarmOptions{}), UsageError); });
}

/// Its data lies where the others see it on the master only.
class Alone final : public Workload {
 public:
  explicit Alone(Farm& farm) : all_(farm.resident<std::byte>(10)), own_(10) {
    if (!farm.is_master()) all_ = own_;
  }
  Index iterations() const override { return 10; }
  std::size_t output_bytes(Chunk chunk) const override { return static_cast<std::size_t>(chunk.size); }
  std::span<std::byte> output(Chunk chunk) override {
    return all_.subspan(static_cast<std::size_t>(chunk.first), static_cast<std::size_t>(chunk.size));
  }
  void compute(Work&) override {}

 private:
  std::span<std::byte> all_;
  std::vector<std::byte> own_;
};

TEST(FakeFarm, RefusesDataThatIsSharedOnTheMasterOnly) {
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  const auto complaints = run_fake_mpi({.may_leak = true}, [] {
    Farm farm(FarmOptions{});
    Alone alone(farm);
    farm.run(alone);
  });
  EXPECT_THAT(complaints,
              testing::Contains(testing::HasSubstr("rank 1 is not in memory from Farm::resident")));
}

/// Its broadcast input comes in pieces of nothing.
class NoPieces final : public Workload {
 public:
  explicit NoPieces(Farm& farm) : shared_(farm.replicated<std::byte>(10)) {}
  Index iterations() const override { return 10; }
  std::span<std::byte> shared_input() override { return shared_; }
  std::size_t shared_piece_bytes() const override { return 0; }
  void compute(Work&) override {}

 private:
  std::span<std::byte> shared_;
};

TEST(FakeFarm, RefusesPiecesOfNothing) {
  run_farm_ranks({}, [] {
    Farm farm(FarmOptions{});
    NoPieces workload(farm);
    EXPECT_THROW(farm.run(workload), UsageError);
  });
}

TEST(FakeFarm, NeedsNoLibraryOfMpi) {
  run_farm_ranks({}, [] {
    Farm farm(FarmOptions{});
    Squares squares(farm, 10, 1, 0, Memory::farm);
    const RunRecord record = farm.run(squares);
    if (!farm.is_master()) return;
    EXPECT_EQ(record.versions.at("mpi"), fake_mpi_version);
  });
  std::ifstream mapped("/proc/self/maps");
  for (std::string line; std::getline(mapped, line);)
    EXPECT_EQ(line.find("libmpi"), std::string::npos) << line;
}

}  // namespace
}  // namespace loadshare::test
