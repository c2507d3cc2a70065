#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "tests/runtime/transport/mpi/fake_mpi.hpp"

namespace loadshare::test {

/// Runs `body` on ranks whose farms find themselves under mpirun; none may do what MPI forbids.
inline void run_farm_ranks(const FakeMpi& fake, const std::function<void()>& body) {
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  EXPECT_THAT(run_fake_mpi(fake, body), testing::IsEmpty());
  if (testing::Test::HasFailure()) ADD_FAILURE() << "of " << fake.ranks << " ranks, seed " << fake.seed;
}

}  // namespace loadshare::test
