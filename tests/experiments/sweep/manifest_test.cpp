#include "experiments/sweep/manifest.hpp"

#include <gtest/gtest.h>

#include "tests/experiments/sweep/sample_sweep.hpp"

namespace loadshare::sweep {
namespace {

constexpr const char* keys =
    "    title: All\n"
    "    launch: {with: mpirun, ranks: 3, arguments: [--bind-to, none], timeout: 2min}\n"
    "    options: {size: 300, seed: \"5\"}\n"
    "    load: \"constant,share=0.5\"\n"
    "    repeat: {at-least: 7, at-most: 30, within: 2%}\n"
    "    matrix: {scheduler: [send, gss]}\n"
    "    compare: scheduler\n";

TEST(Manifest, SaysWhatTheSweepIs) {
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
      R"("compare":"scheduler","baseline":"send","repeat":{"at-least":7,"at-most":30,"within":0.02},)"
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

TEST(Manifest, RunsOfAnotherSweepAreKnown) {
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
