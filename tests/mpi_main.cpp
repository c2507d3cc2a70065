#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>

// A main for tests under mpirun: ranks beyond the first print failures only, any rank's failure fails all,
// and a program that ran no test has failed.
int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) delete listeners.Release(listeners.default_result_printer());
  class FailuresOnly final : public testing::EmptyTestEventListener {
    void OnTestPartResult(const testing::TestPartResult& result) override {
      if (result.failed())
        std::fprintf(stderr, "%s:%d: %s\n", result.file_name(), result.line_number(), result.summary());
    }
  };
  if (rank != 0) listeners.Append(new FailuresOnly);  // NOLINT: the listeners own it
  int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) failed = 1;
  int any_failed = 0;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any_failed;
}
