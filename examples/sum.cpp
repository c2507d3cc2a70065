// The sum of 1 / i^2 over 2^33 numbers, with an option of its own. The result is the same, bit by bit, for
// any number of workers.
//   sum --numbers 1000000000        mpirun -q -np 4 sum --scheduler gss
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <loadshare/loadshare.hpp>

int main(int argc, char** argv) {
  loadshare::Index numbers = loadshare::Index{1} << 33;
  const auto body = [&](loadshare::Farm& farm) {
    const auto term = [](loadshare::Index i) {
      const auto x = static_cast<double>(i + 1);
      return 1 / (x * x);
    };
    const double sum = farm.reduce(numbers, 0.0, term, std::plus<>());
    if (farm.is_master()) std::cout << "the sum is " << sum << "\n";
  };
  return loadshare::run(argc, argv, body,
                        {.purpose = "Add 1 / i^2 up.", .options = [&](CLI::App& app) {
                           app.add_option("--numbers", numbers, "how many")->check(CLI::NonNegativeNumber);
                         }});
}
