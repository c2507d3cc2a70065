#include "runtime/load/load_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "base/error.hpp"

namespace loadshare {
namespace {

using ::testing::ElementsAre;

std::string error_of(const std::string& text) {
  try {
    parse_load_spec(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

class TraceFile {
 public:
  explicit TraceFile(const std::string& content)
      : path_(::testing::TempDir() + "load_trace_" + std::to_string(getpid())) {
    std::ofstream(path_) << content;
  }
  ~TraceFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }
  std::string spec() const { return "trace=" + path_; }

 private:
  std::string path_;
};

TEST(LoadSpec, ReadsTimesOnAndOff) {
  const LoadSpec spec = parse_load_spec("on=1s,off=250ms,where=0-3+5,phase=0.5s,share=0.25,seed=7");
  EXPECT_EQ(spec.shape, LoadSpec::Shape::on_off);
  EXPECT_EQ(spec.on_s, 1);
  EXPECT_EQ(spec.off_s, 0.25);
  EXPECT_EQ(spec.share, 0.25);
  EXPECT_EQ(spec.phase_s, 0.5);
  EXPECT_EQ(spec.seed, 7u);
  EXPECT_THAT(spec.ranks, ElementsAre(0, 1, 2, 3, 5));
}

TEST(LoadSpec, DefaultsToHalfOfEachWorkersProcessor) {
  const LoadSpec spec = parse_load_spec("constant");
  EXPECT_EQ(spec.share, 0.5);
  EXPECT_TRUE(spec.loads(3, true));
  EXPECT_FALSE(spec.loads(0, false));
}

TEST(LoadSpec, WhereSelectsTheLoadedRanks) {
  EXPECT_TRUE(parse_load_spec("constant,where=all").loads(0, false));
  const LoadSpec listed = parse_load_spec("constant,where=4+0");
  EXPECT_TRUE(listed.loads(0, false));
  EXPECT_TRUE(listed.loads(4, true));
  EXPECT_FALSE(listed.loads(3, true));
  EXPECT_NO_THROW(require_ranks(listed, 5));
  try {
    require_ranks(listed, 4);
    ADD_FAILURE() << "rank 4 of 4 was not missed";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "load: there is no rank 4 to disturb (this run has 4 ranks, from 0); say where=workers, or "
                 "other ranks");
  }
}

TEST(LoadSpec, RandomPhasesDependOnSeedAndRankOnly) {
  const LoadSpec spec = parse_load_spec("on=1s,off=1s,phase=random,seed=7");
  // Computed in Python: outputs 0 and 2 of a 64-bit Mersenne Twister with seed 7, with 53 bits each, times 2
  // s.
  EXPECT_DOUBLE_EQ(spec.plan_for(0).phase_s(), 1.508770608305716);
  EXPECT_DOUBLE_EQ(spec.plan_for(2).phase_s(), 0.23482856206903602);
  std::set<double> phases;
  for (int rank = 0; rank < 50; ++rank) {
    const double phase_s = spec.plan_for(rank).phase_s();
    EXPECT_GE(phase_s, 0);
    EXPECT_LT(phase_s, 2);
    phases.insert(phase_s);
  }
  EXPECT_EQ(phases.size(), 50u);
  EXPECT_NE(parse_load_spec("on=1s,off=1s,phase=random,seed=8").plan_for(0).phase_s(),
            spec.plan_for(0).phase_s());
}

TEST(LoadSpec, ErrorsNameOptionsIfItsPartsAreOptions) {
  const auto error = [](const std::map<std::string, std::string>& parts) -> std::string {
    try {
      return load_of_options(parts).text;
    } catch (const UsageError& refused) {
      return refused.what();
    }
  };
  EXPECT_EQ(error({{"share", "0.3"}, {"constant", ""}}), "constant,share=0.3");
  EXPECT_EQ(error({{"off", "1s"}, {"on", "2s"}, {"phase", "500ms"}}), "on=2s,off=1s,phase=500ms");
  EXPECT_EQ(
      error({}),
      "no option says what the load does (none of --on, --constant and --trace is given); try --on 1s --off "
      "1s, or --constant, or --trace FILE");
  EXPECT_EQ(error({{"off", "1s"}}), "--on is missing (--off is given, and a cycle needs both); add --on 1s");
  EXPECT_EQ(error({{"on", "1us"}, {"off", "1s"}}),
            "--on is 1us (it must be at least 1ms); for a constant load give --constant");
  EXPECT_EQ(error({{"trace", "t"}, {"on", "1s"}}),
            "a trace does not take --on (it belongs to another shape of load); leave out --on");
  EXPECT_EQ(error({{"constant", ""}, {"share", "2"}}),
            "--share is 2 (a load that takes everything leaves the worker nothing); give at most 0.99");
  EXPECT_EQ(error({{"on", "1s"}, {"off", "1s"}, {"phase", "2s"}}),
            "--phase is 2s (a cycle is 2s long); give less");
}

TEST(LoadSpec, ErrorsNameTheProblemAndARemedy) {
  EXPECT_EQ(error_of(""),
            "load: the spec does not say what the load does (it is empty); try on=1s,off=1s, or constant, "
            "or trace=FILE");
  EXPECT_EQ(error_of("share=0.5"),
            "load: the spec does not say what the load does (none of on, constant and trace is given); try "
            "on=1s,off=1s, or constant, or trace=FILE");
  EXPECT_EQ(
      error_of("on=1s,off=1s,phse=0"),
      "unknown part of a load 'phse' (valid: on, off, share, phase, seed, where, constant, trace); did you "
      "mean 'phase'?");
  EXPECT_EQ(error_of("on=1s"), "load: off is missing (on is given, and a cycle needs both); add off=1s");
  EXPECT_EQ(error_of("on=1s,off=0s"),
            "load: off is 0s (it must be at least 1ms); for a constant load give constant");
  EXPECT_EQ(error_of("on=1,off=1s"),
            "load: on is '1' (a duration is a number and its unit); write it as 250ms, 1.5s or 2min");
  EXPECT_EQ(error_of("on=1s,off=1s,on=2s"), "load: on is given twice; give it once");
  EXPECT_EQ(error_of("on=1s,off=1s,phase"), "load: phase has no value; write phase=...");
  EXPECT_EQ(error_of("on=1s,off=1s,phase=2s"), "load: phase is 2s (a cycle is 2s long); give less");
  EXPECT_EQ(error_of("on=1s,off=1s,phase=randm"),
            "load: phase is 'randm' (it must be a duration, or random); try phase=250ms");
  EXPECT_EQ(error_of("constant=1"), "load: constant has a value (it takes none); write constant");
  EXPECT_EQ(error_of("constant,on=1s"),
            "load: a constant load does not take on (it belongs to another shape of load); leave out on");
  EXPECT_EQ(error_of("constant,share=1"),
            "load: share is 1 (a load that takes everything leaves the worker nothing); give at most 0.99");
  EXPECT_EQ(error_of("constant,share=0"),
            "load: share is 0 (it is the part of the processor that the load takes); give more than 0 and at "
            "most 0.99");
  EXPECT_EQ(error_of("constant,share=50%"), "load: share is '50%' (it is a number between 0 and 1); try 0.5");
  EXPECT_EQ(error_of("constant,seed=-1"), "load: seed is '-1' (it must be a whole number, 0 or more)");
  EXPECT_EQ(error_of("constant,where=worker"),
            "load: where is 'worker' (workers, all, or ranks as 0-3+5); did you mean 'workers'?");
  EXPECT_EQ(error_of("constant,where=3-1"), "load: where is '3-1' (ranks are counted upwards); try 0-3+5");
  EXPECT_EQ(error_of("constant,where=1+"), "load: where is '' (it must be a whole number, 0 or more)");
  EXPECT_EQ(error_of("constant,"),
            "unknown part of a load '' (valid: on, off, share, phase, seed, where, constant, trace)");
}

TEST(LoadTrace, ReadsItsFile) {
  const TraceFile file("# second share\n0 0.5\n\n1.5 0   # a pause\r\n2 0.25\n");
  const LoadSpec spec = parse_load_spec(file.spec() + ",where=all");
  EXPECT_THAT(spec.steps, ElementsAre(LoadStep{0, 0.5}, LoadStep{1.5, 0}, LoadStep{2, 0.25}));
  EXPECT_EQ(spec.plan_for(3).share_at(1), 0.5);
}

TEST(LoadSpec, ATraceMayBeginWithAByteOrderMark) {
  const TraceFile file(
      "\xEF\xBB\xBF"
      "0 0.5\n2 0\n");
  const LoadPlan plan = parse_load_spec(file.spec()).plan_for(0);
  EXPECT_EQ(plan.share_at(1), 0.5);
  EXPECT_EQ(plan.share_at(3), 0);
}

TEST(LoadTrace, ErrorsNameTheLine) {
  const auto error_in = [](const std::string& content) {
    const TraceFile file(content);
    const std::string text = error_of(file.spec());
    return text.starts_with(file.path()) ? text.substr(file.path().size()) : text;
  };
  EXPECT_EQ(error_in("0 0.5\n1\n"),
            ":2: '1' is not a step (a line is a second and a share); write it as 2.5 0.5");
  EXPECT_EQ(error_in("0 0.5 3\n"),
            ":1: '0 0.5 3' is not a step (a line is a second and a share); write it as 2.5 0.5");
  EXPECT_EQ(error_in("\n-1 0.5\n"), ":2: the second is '-1' (it is a number from 0 to 1e9)");
  EXPECT_EQ(error_in("1e10 0.5\n"), ":1: the second is '1e10' (it is a number from 0 to 1e9)");
  EXPECT_EQ(
      error_in("0 1.5\n"),
      ":1: the share is 1.5 (a load that takes everything leaves the worker nothing); give at most 0.99");
  EXPECT_EQ(error_in("2 0.5\n2 0.1\n"), ":2: second 2 comes after 2 (steps ascend); sort them");
  EXPECT_EQ(error_in("# nothing\n"), " has no step (a line is a second and a share)");
  EXPECT_EQ(error_of("trace=/no/such"), "cannot read the load's trace /no/such (no such file or directory)");
}

}  // namespace
}  // namespace loadshare
