#include "tests/runtime/farm/fake_farm.hpp"
#include "tests/runtime/farm/ranks.hpp"

namespace loadshare::test {

namespace {
int count = 0;
}

void as_each_rank(const std::function<void()>& body, Ending ending) {
  for (count = 1; count <= 4 && !testing::Test::HasFailure(); ++count)
    run_farm_ranks({.ranks = count, .most_delay_s = 50e-6, .may_leak = ending == Ending::by_error}, body);
}

int ranks() {
  return count;
}

std::size_t many(std::size_t values) {
  return values / 20;
}

}  // namespace loadshare::test
