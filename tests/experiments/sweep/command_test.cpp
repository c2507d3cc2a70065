#include "experiments/sweep/command.hpp"

#include <gtest/gtest.h>

#include "tests/experiments/sweep/sample_sweep.hpp"

namespace loadshare::sweep {
namespace {

TEST(Programs, OwnOnesAreKnownByName) {
  for (const char* program : {"matmul", "matvec", "mandelbrot", "synthetic", "cannon", "bucket_sort", "floyd",
                              "integer_sort", "/usr/bin/integer_sort"})
    EXPECT_TRUE(is_own_program(program)) << program;
  EXPECT_FALSE(is_own_program("sleep"));
  EXPECT_FALSE(is_own_program("integer_sort2"));
}

std::string line(const std::string& keys, const std::optional<RunLoad>& load = std::nullopt) {
  const SweepSpec spec = sweep_of(keys);
  return command_text(command_of(spec.experiments[0], spec.experiments[0].points[0], load,
                                 {"/bin/matmul", "/bin/loadshare", "now"}));
}

TEST(Command, InProcess) {
  EXPECT_EQ(line("    launch: {with: in-process, workers: 2}\n    options: {size: 300, kernel: naive}\n"),
            "/bin/matmul --size 300 --kernel naive --workers 2");
  EXPECT_EQ(line("    launch: {workers: 2}\n    matrix: {workers: [1, 2]}\n"), "/bin/matmul --workers 1");
}

TEST(Command, Mpirun) {
  EXPECT_EQ(line("    launch: {with: mpirun, ranks: 9, arguments: [--bind-to, none]}\n    matrix: "
                 "{scheduler: [gss]}\n",
                 RunLoad{"constant,share=0.5", std::nullopt}),
            "mpirun -q -np 9 --bind-to none /bin/matmul --scheduler gss --load constant,share=0.5");
  EXPECT_EQ(line("    launch: {with: mpirun, ranks: 9}\n    matrix: {ranks: [3, 4]}\n"),
            "mpirun -q -np 3 /bin/matmul");
}

TEST(Command, Srun) {
  EXPECT_EQ(line("    launch: {with: srun, ranks: 16}\n"), "srun --mpi=pmix -n 16 /bin/matmul");
}

TEST(Command, Lab) {
  EXPECT_EQ(line("    launch: {with: lab, lab: now.yaml, ranks: 9}\n"),
            "/bin/loadshare lab run --name now -- mpirun -q -np 9 /bin/matmul");
  EXPECT_EQ(line("    launch: {with: lab, lab: now.yaml}\n"),
            "/bin/loadshare lab run --name now -- mpirun -q /bin/matmul")
      << "one rank a host";
}

TEST(Command, FlagsAreBareOrLeftOut) {
  EXPECT_EQ(line("    options: {reissue: true, other: false, word: \"true\"}\n"),
            "/bin/matmul --reissue --word true");
  EXPECT_EQ(line("    options: {reissue: true}\n    matrix: {reissue: [false, true]}\n"), "/bin/matmul");
}

TEST(Command, AnAxisComesBeforeAnOption) {
  EXPECT_EQ(line("    options: {size: 300, seed: 5}\n    matrix: {size: [400]}\n"),
            "/bin/matmul --seed 5 --size 400");
}

TEST(Command, EachRunIsTheFirstOfItsLoop) {
  EXPECT_EQ(line("    matrix: {scheduler: [\"fac:mu=1ms,sigma=1ms\"]}\n"),
            "/bin/matmul --scheduler fac:mu=1ms,sigma=1ms --auto-from none");
  EXPECT_EQ(line("    matrix: {scheduler: [fac2]}\n"), "/bin/matmul --scheduler fac2");
  EXPECT_EQ(line("    matrix: {scheduler: [auto]}\n"), "/bin/matmul --scheduler auto --auto-from none");
  EXPECT_EQ(line("    options: {auto-from: old.jsonl}\n    matrix: {scheduler: [auto]}\n"),
            "/bin/matmul --auto-from old.jsonl --scheduler auto");
}

}  // namespace
}  // namespace loadshare::sweep
