// Which number up to 4,000,000 takes the most steps to reach 1, if an even number is halved, and an odd one
// is tripled and increased by one?
//   collatz --scheduler gss:4        mpirun -q -np 4 collatz --scheduler auto
#include <algorithm>
#include <iostream>
#include <loadshare/loadshare.hpp>

int steps_from(loadshare::Index number) {
  int steps = 0;
  for (; number != 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
  return steps;
}

int main(int argc, char** argv) {
  return loadshare::run(argc, argv, [](loadshare::Farm& farm) {
    const auto steps = farm.map<int>(4'000'000, [](loadshare::Index i) { return steps_from(i + 1); });
    const auto most = std::ranges::max_element(steps);
    if (farm.is_master()) std::cout << most - steps.begin() + 1 << " takes " << *most << " steps\n";
  });
}
