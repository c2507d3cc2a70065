#include <gtest/gtest.h>

#include "apps/loadshare/output.hpp"

namespace loadshare::tool {
namespace {

using TestRows = std::vector<std::vector<std::string>>;

const TestRows hosts{{"host", "cores", "load", "what is wrong with it"},
                     {"n1", "2", "0.5", "nothing at all, it is as it should be"},
                     {"node2", "16", "-", ""}};

TEST(Table, ColumnsAreAlignedAndUnknownOnesLeftOut) {
  EXPECT_EQ(table_text({{"host", "cores", "load"}, {"n1", "2", "-"}, {"node2", "16", ""}}, 1, 80),
            "host   cores\n"
            "n1         2\n"
            "node2     16\n");
}

TEST(Table, WordsWrapInATableThatIsTooWide) {
  EXPECT_EQ(table_text(hosts, 4, 100),
            "host   cores  load  what is wrong with it\n"
            "n1     2      0.5   nothing at all, it is as it should be\n"
            "node2  16     -\n");
  EXPECT_EQ(table_text(hosts, 4, 40),
            "host   cores  load  what is wrong with\n"
            "                    it\n"
            "n1     2      0.5   nothing at all, it\n"
            "                    is as it should be\n"
            "node2  16     -\n");
}

TEST(Table, NumbersThatDoNotFitGoBelowWithTheFirstColumn) {
  EXPECT_EQ(
      table_text({{"host", "first", "second", "third"}, {"n1", "1.00 ms", "2.00 ms", "3.00 ms"}}, 1, 24),
      "host    first   second\n"
      "n1    1.00 ms  2.00 ms\n"
      "\n"
      "host    third\n"
      "n1    3.00 ms\n");
}

}  // namespace
}  // namespace loadshare::tool
