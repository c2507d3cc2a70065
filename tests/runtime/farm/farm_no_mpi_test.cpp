#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "runtime/farm/farm.hpp"

namespace loadshare {
namespace {

TEST(FarmWithoutMpi, RefusesToBeARank) {
  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  try {
    const Farm farm({});
    ADD_FAILURE() << "made a farm of one rank's own";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("(this program was built without MPI); start it without mpirun"));
  }
  unsetenv("OMPI_COMM_WORLD_RANK");
}

}  // namespace
}  // namespace loadshare
