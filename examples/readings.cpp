// Data that only the master has: a file with one number per line. Each number is compared with all others.
//   readings FILE        mpirun -q -np 4 readings FILE
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <loadshare/loadshare.hpp>
#include <string>
#include <vector>

std::vector<double> read_numbers(const std::string& path) {
  std::ifstream file(path);
  std::vector<double> numbers;
  for (double number; file >> number;) numbers.push_back(number);
  if (!file.is_open())
    throw loadshare::UsageError("cannot read " + path, "it is not there, or not for us", "name another FILE");
  if (!file.eof())
    throw loadshare::UsageError(path + " is no file of numbers", "it has something else",
                                "write a number a line");
  return numbers;
}

int main(int argc, char** argv) {
  std::string path;
  const auto body = [&](loadshare::Farm& farm) {
    std::vector<double> numbers;
    loadshare::OnMaster<std::vector<double>> distances;
    if (farm.is_master()) {
      numbers = read_numbers(path);
      distances = loadshare::OnMaster(std::vector<double>(numbers.size()));
    }
    using loadshare::in, loadshare::out, loadshare::shared;
    farm.for_chunks(std::ssize(numbers), in(numbers), shared(numbers), out(distances),
                    [](loadshare::Chunk, auto mine, auto all, auto distance) {
                      for (std::size_t i = 0; i < mine.size(); ++i) {
                        distance[i] = 0;
                        for (const double other : all)
                          distance[i] = std::max(distance[i], std::abs(other - mine[i]));
                      }
                    });
    if (farm.is_master() && !distances->empty())
      std::cout << "the widest distance is " << *std::ranges::max_element(*distances) << "\n";
  };
  return loadshare::run(argc, argv, body, {.options = [&](CLI::App& app) {
                          app.add_option("FILE", path, "numbers")->required();
                        }});
}
