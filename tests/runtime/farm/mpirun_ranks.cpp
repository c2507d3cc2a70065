#include <mpi.h>

#include "tests/runtime/farm/ranks.hpp"

namespace loadshare::test {

void as_each_rank(const std::function<void()>& body, Ending) {
  body();
}

int ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

std::size_t many(std::size_t values) {
  return values;
}

}  // namespace loadshare::test
