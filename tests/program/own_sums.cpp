// A user's program in the user's locale that requires an option and a positional argument, for
// `own_sums_tcp_test.py`: processes join it with neither of them.
#include <CLI/CLI.hpp>
#include <chrono>
#include <clocale>
#include <csignal>
#include <functional>
#include <iostream>
#include <locale>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "program/loadshare.hpp"

int main(int argc, char** argv) {
  if (std::setlocale(LC_ALL, "") != nullptr)
    std::locale::global(std::locale(""));  // the locale may not be installed
  loadshare::Index numbers = 10;
  double pause_s = 0;
  loadshare::Index deadly = -1;
  int rounds = 1;
  std::string name;
  const auto round = [&](loadshare::Farm& farm) {
    const std::vector<loadshare::Index> squares =
        farm.map<loadshare::Index>(numbers, [&](loadshare::Index i) {
          if (i == deadly) std::raise(SIGKILL);
          if (pause_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pause_s));
          return i * i;
        });
    const loadshare::Index sum = farm.reduce(
        numbers, loadshare::Index{0}, [](loadshare::Index i) { return i * i; }, std::plus<>());
    std::vector<double> halves(farm.is_master() ? squares.size() : 0);
    farm.for_chunks(numbers, loadshare::in(squares), loadshare::out(halves),
                    [](loadshare::Chunk, auto mine, auto half) {
                      for (std::size_t i = 0; i < mine.size(); ++i)
                        half[i] = static_cast<double>(mine[i]) / 2;
                    });
    std::cout << name << " " << (farm.is_master() ? "master" : "member") << " " << sum << " "
              << std::accumulate(squares.begin(), squares.end(), loadshare::Index{0}) << " "
              << std::accumulate(halves.begin(), halves.end(), 0.0) << "\n";
  };
  const auto body = [&](loadshare::Farm& farm) {
    for (int i = 0; i < rounds; ++i) round(farm);
  };
  return loadshare::run(argc, argv, body, {.options = [&](CLI::App& app) {
                          app.add_option("NAME", name, "printed first")->required();
                          app.add_option("--pause", pause_s, "seconds an iteration of the first loop");
                          app.add_option("--deadly", deadly, "the iteration that ends its process");
                          app.add_option("--numbers", numbers, "how many")->check(CLI::NonNegativeNumber);
                          app.add_option("--rounds", rounds, "of its three loops");
                        }});
}
