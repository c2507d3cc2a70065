#include "profiler/code_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::profile {
namespace {

using testing::ElementsAre;

TEST(ShortFunction, KeepsTheFunctionAndItsClass) {
  EXPECT_EQ(short_function("main"), "main");
  EXPECT_EQ(short_function("solve(int, char const*)"), "solve");
  EXPECT_EQ(short_function("void science::Solver<double, std::pair<int, int> >::step<3>(int) const"),
            "Solver::step");
  EXPECT_EQ(short_function("loadshare::(anonymous namespace)::finish(int)"), "loadshare::finish");
  EXPECT_EQ(short_function("a::Farm::run(int)::{lambda(int)#1}::operator()(int) const"), "Farm::run");
  EXPECT_EQ(short_function("solve [clone .cold]"), "solve");
}

/// The output of binutils 2.40.
TEST(Addr2line, ReturnsTheInnermostFrameOfEachAddress) {
  const std::vector<CodePlace> places = parse_addr2line(
      "0x0000000000001234\nhalo\n/src/./heat.c:20\nmain\n/src/heat.c:41 (discriminator 2)\n"
      "0x0000000000005678\nsolve(int)\n??:?\n"
      "0x0000000000009abc\n??\n??:0\n",
      4);
  EXPECT_THAT(places, ElementsAre(CodePlace{"halo", "/src/heat.c", 20}, CodePlace{"solve", "", 0},
                                  CodePlace{}, CodePlace{}));
}

TEST(Addr2line, ReturnsTheFunctionThatContainsALambda) {
  const std::vector<CodePlace> places = parse_addr2line(
      "0x0000000000001234\noperator()\n/src/exchange.cpp:7\nrun<lambda>\n/src/clock.hpp:9\n"
      "spmd::Exchange::barrier()\n/src/exchange.cpp:6\n",
      1);
  EXPECT_THAT(places, ElementsAre(CodePlace{"Exchange::barrier", "/src/exchange.cpp", 6}));
}

TEST(Addr2line, IgnoresErrorMessages) {
  EXPECT_THAT(parse_addr2line("addr2line: 'prog': No such file\n", 1), ElementsAre(CodePlace{}));
  EXPECT_THAT(parse_addr2line("0x0000000000001234\naddr2line: DWARF error: x\nmain\n/a/main.c:4\n", 1),
              ElementsAre(CodePlace{"main", "/a/main.c", 4}));
}

}  // namespace
}  // namespace loadshare::profile
