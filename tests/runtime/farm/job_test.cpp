#include "tests/error_of.hpp"
#include "tests/runtime/farm/farm_cases.hpp"

namespace loadshare::test {
namespace {

TEST(JobDescription, ArrivesAsItWasSent) {
  JobDescription sent("an application");
  sent.set("rows", Index{1} << 40);
  sent.set("cost", "a \"quoted\" word\n and a second line");
  sent.set("fail_at", std::optional<Index>());
  const JobDescription arrived = JobDescription::decode(sent.encode());
  EXPECT_EQ(arrived.application(), "an application");
  EXPECT_EQ(arrived.whole("rows"), Index{1} << 40);
  EXPECT_EQ(arrived.text("cost"), "a \"quoted\" word\n and a second line");
  EXPECT_EQ(arrived.whole_if_set("fail_at"), std::nullopt);
  EXPECT_THROW(arrived.text("columns"), std::out_of_range);
}

std::string job_error(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(JobDescription, ThatCannotBeReadIsBlamedOnTheMaster) {
  const std::string blame = "the master's description of the job cannot be read (";
  for (const char* text : {"", "hello", "{}", "\xff\xff", R"({"application":1,"parameters":{}})",
                           R"({"application":"a","parameters":{"rows":1}})"})
    EXPECT_THAT(job_error([&] { JobDescription::decode(text); }), testing::StartsWith(blame)) << text;
  JobDescription description("an application");
  for (const char* rows : {"", "ten", "10 ", "1e3", "99999999999999999999"}) {
    description.set("rows", std::string(rows));
    EXPECT_THAT(job_error([&] { description.whole("rows"); }), testing::StartsWith(blame)) << rows;
  }
}

/// Squares, and which step came after which.
class SquaresJob final : public Job {
 public:
  std::string application() const override { return "squares"; }
  void describe(JobDescription& description) override {
    steps += "describe ";
    if (fails_at == "describe") throw UsageError("no such squares");
    description.set("iterations", Index{30});
  }
  Workload& make(const JobDescription& description, Farm& farm) override {
    steps += "make ";
    return squares.emplace(farm, description.whole("iterations"), 2, 100, Memory::farm);
  }
  void fill() override { step("fill"); }
  Verdict verify() override {
    step("verify");
    return verdict_of(squares->first_wrong() < 0 && fails_at != "wrong" ? "" : "square 7");
  }
  void tell(RunRecord& record) const override { record.app = application(); }
  void store() override { step("store"); }

  std::string fails_at, throws_number_at;
  std::string steps;
  std::optional<Squares> squares;

 private:
  void step(const std::string& name) {
    steps += name + " ";
    if (fails_at == name) throw std::runtime_error(name + " went wrong");
    if (throws_number_at == name) throw 42;
  }
};

TEST(Job, WhatIsMeasuredAnewDoesNotTellWhichItIs) {
  const auto identity = [](Index size, Index speed) {
    JobDescription description("squares");
    description.set("size", size);
    description.set_measured("speed", speed);
    EXPECT_EQ(JobDescription::decode(description.encode()).whole("speed"), speed);
    return description.identity();
  };
  EXPECT_EQ(identity(30, 1), identity(30, 2));
  EXPECT_NE(identity(30, 1), identity(31, 1));
}

TEST(Job, GoesThroughItsSteps) {
  Farm farm({.workers = 2});
  SquaresJob job;
  const RunRecord record = farm.run(job);
  EXPECT_EQ(job.steps, "describe make fill verify store ");
  EXPECT_EQ(record.verified, true);
  EXPECT_EQ(record.app, "squares");
  EXPECT_EQ(record.iterations, 30);
}

TEST(Job, EndsWithItsFirstFailure) {
  Farm farm({.workers = 2});
  for (const auto& [step, steps] : {std::pair{"describe", "describe "},
                                    {"fill", "describe make fill "},
                                    {"verify", "describe make fill verify "},
                                    {"wrong", "describe make fill verify "},
                                    {"store", "describe make fill verify store "}}) {
    SquaresJob job;
    job.fails_at = step;
    EXPECT_THROW(farm.run(job), Error) << step;
    EXPECT_EQ(job.steps, steps);
  }
}

TEST(Job, EndsWithAnErrorAlsoWhereAStepThrowsNoException) {
  Farm farm({.workers = 2});
  for (const char* step : {"fill", "verify", "store"}) {
    SquaresJob job;
    job.throws_number_at = step;
    EXPECT_EQ(thrown_text([&] { farm.run(job); }), "an exception of unknown type") << step;
  }
}

}  // namespace
}  // namespace loadshare::test
