#include "apps/synthetic/costs/file.hpp"

#include <gtest/gtest.h>

#include "tests/apps/common/files.hpp"

namespace loadshare::synthetic {
namespace {

using test::error_of;
using test::TemporaryDirectory;
using test::write_file;

class CostFile : public testing::Test {
 protected:
  std::unique_ptr<Cost> costs(std::string_view content, Index iterations) {
    write_file(directory_ / "my costs,1.txt", content);
    const Spec spec = parse_cost("file:" + directory_ / "my costs,1.txt");
    return make_cost(spec, {iterations, 1, fetch_cost_data(spec)});
  }
  std::string error(std::string_view content, Index iterations = 1) {
    return error_of([&] { costs(content, iterations); }, directory_.path());
  }

  TemporaryDirectory directory_;
};

TEST_F(CostFile, HasOneCostALine) {
  const auto cost = costs("0.5\n1e-3\r\n\n# measured\n  0.25 \t\n0", 4);
  EXPECT_EQ(cost->seconds(0), 0.5);
  EXPECT_EQ(cost->seconds(1), 1e-3);
  EXPECT_EQ(cost->seconds(2), 0.25);
  EXPECT_EQ(cost->seconds(3), 0);
}

TEST_F(CostFile, MayHaveMoreCostsThanTheLoopTakes) {
  EXPECT_EQ(costs("0.5\n0.25\n", 1)->seconds(0), 0.5);
  EXPECT_EQ(error("", 0), "no error");
}

struct BadFile {
  const char* content;
  const char* error;
};

TEST_F(CostFile, ErrorsNameTheLine) {
  const BadFile cases[] = {
      {"0.5\n\n  abc \n",
       "my costs,1.txt:3:3: 'abc' is not a number (one cost in seconds a line); write it as 0.0002"},
      {"0.5 0.6\n",
       "my costs,1.txt:1:5: '0.6' follows a cost (one cost in seconds a line); write it as 0.0002"},
      {"200us\n", "my costs,1.txt:1:4: 'us' follows a cost (one cost in seconds a line); write it as 0.0002"},
      {"1\n-1\n",
       "my costs,1.txt:2:1: '-1' is not from 0 to 1e9 seconds (one cost in seconds a line); write it as "
       "0.0002"},
      {"nan\n",
       "my costs,1.txt:1:1: 'nan' is not from 0 to 1e9 seconds (one cost in seconds a line); write it as "
       "0.0002"},
      {"1e10\n",
       "my costs,1.txt:1:1: '1e10' is not from 0 to 1e9 seconds (one cost in seconds a line); write it as "
       "0.0002"},
      {"# nothing\n",
       "my costs,1.txt has too few costs (0 for 1 iterations); give a file with one cost "
       "in seconds per line"},
  };
  for (const auto& [content, text] : cases) EXPECT_EQ(error(content), text);
  EXPECT_EQ(error("1\n2\n", 3), "my costs,1.txt has too few costs (2 for 3 iterations); use --iterations 2");
}

TEST_F(CostFile, AnUnreadableOneIsAnError) {
  const auto fetch = [&](const std::string& path) {
    return error_of([&] { fetch_cost_data(parse_cost("file:" + path)); }, directory_.path());
  };
  EXPECT_EQ(fetch(directory_ / "none"), "cannot read none (no such file or directory)");
  EXPECT_EQ(fetch("/"), "cannot read / (it is a directory)");
  EXPECT_EQ(error_of([] { fetch_cost_data(parse_cost("file")); }),
            "cost file: no path (the costs are read from a file); write file:costs.txt");
}

}  // namespace
}  // namespace loadshare::synthetic
