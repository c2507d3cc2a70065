#include "experiments/sweep/listing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/sweep/sample_sweep.hpp"
#include "tests/experiments/yaml/complaint.hpp"

namespace loadshare::sweep {
namespace {

const BatchJob job{"/opt/bin/loadshare", "/home/me/my sweep.yaml", "/home/me/results/a", " --only e"};

TEST(Sbatch, HasRoomForTheLargestRun) {
  const SweepSpec spec = sweep_of(
      "    launch: {with: srun, ranks: 8}\n    matrix: {ranks: [4, 16]}\n"
      "  - name: f\n    launch: {with: in-process, workers: 2}\n    options: {workers: 6}\n");
  EXPECT_EQ(batch_script(spec, job), R"(#!/bin/bash
# A test
# Submit with: sbatch THIS [--time=4:00:00] [--partition=...]. Submit it again after its time limit: it resumes.
#SBATCH --job-name='my sweep'
#SBATCH --ntasks=16
#SBATCH --cpus-per-task=6
#SBATCH --output='my sweep-%j.out'
# Programs of other users on the nodes would be a load that no record shows.
#SBATCH --exclusive
# Slurm interrupts the sweep a minute before its time limit; finished runs are kept.
#SBATCH --signal=B:INT@60
set -eu
exec /opt/bin/loadshare sweep '/home/me/my sweep.yaml' --out /home/me/results/a --resume --progress lines --only e
)");
}

TEST(Sbatch, NoTitleBecomesACommand) {
  SweepSpec spec = sweep_of("    repeat: 1\n");
  spec.title = "A test\nrm -r /";
  EXPECT_THAT(batch_script(spec, job), testing::StartsWith("#!/bin/bash\n# A test rm -r /\n# Submit"));
}

TEST(Sbatch, ALabIsNoCluster) {
  const SweepSpec spec = sweep_of("    launch: {with: lab, lab: now.yaml}\n");
  EXPECT_EQ(
      yaml::complaint([&] { batch_script(spec, job); }),
      "experiment e runs in a lab (a lab is made on one machine, not on a cluster); launch it with srun or "
      "mpirun");
}

}  // namespace
}  // namespace loadshare::sweep
