#include "apps/loadshare/costs.hpp"

#include <gtest/gtest.h>

namespace loadshare::tool {
namespace {

TEST(ProgramOf, IsTheFirstWordWithoutFolders) {
  EXPECT_EQ(program_of("./sort -n 5"), "sort");
  EXPECT_EQ(program_of("/home/me/bin/sort"), "sort");
  EXPECT_EQ(program_of("python_like a.py"), "python_like");
  EXPECT_EQ(program_of("shed a.py"), "shed");
  EXPECT_EQ(program_of("2048 a.py"), "2048");
  EXPECT_EQ(program_of(""), "");
}

TEST(ProgramOf, HasTheScriptOfAnInterpreter) {
  EXPECT_EQ(program_of("python3 a.py -n 5"), "python a.py");
  EXPECT_EQ(program_of("/usr/bin/python3.11 -u /home/me/b.py a.py"), "python b.py");
  EXPECT_EQ(program_of("python -W ignore -X dev a.py"), "python a.py");
  EXPECT_EQ(program_of("python3 -m mpi4py a.py"), "python a.py");
  EXPECT_EQ(program_of("python3 -m solver.main 7"), "python solver.main");
  EXPECT_EQ(program_of("perl -w sort.pl"), "perl sort.pl");
  EXPECT_EQ(program_of("sh run"), "sh run");
  EXPECT_EQ(program_of("python3"), "python3");
}

}  // namespace
}  // namespace loadshare::tool
