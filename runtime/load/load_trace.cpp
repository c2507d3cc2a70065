#include "runtime/load/load_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "runtime/load/share.hpp"
#include "runtime/timing/duration.hpp"
#include "schedulers/error.hpp"

namespace loadshare {
namespace {

double instant_s(const std::string& place, const std::string& word) {
  std::istringstream in(word);
  double value_s = 0;
  if (!(in >> value_s) || !in.eof() || !(value_s >= 0 && value_s <= longest_duration_s))
    throw UsageError(fmt::format("{}: the second is '{}'", place, word), "it is a number from 0 to 1e9");
  return value_s;
}

LoadStep read_step(const std::string& place, const std::string& line) {
  std::istringstream in(line);
  std::string second, share, more;
  if (!(in >> second >> share) || in >> more)
    throw UsageError(fmt::format("{}: '{}' is no step", place, line), "a line is a second and a share",
                     "write it as 2.5 0.5");
  const bool is_off = share.find_first_not_of("0.") == std::string::npos;
  return {instant_s(place, second), is_off ? 0 : parse_share(place + ": the share", share)};
}

}  // namespace

std::vector<LoadStep> read_load_trace(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError(fmt::format("cannot read the load's trace {}", path), std::strerror(errno));
  std::vector<LoadStep> steps;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string place = fmt::format("{}:{}", path, ++number);
    line.resize(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const LoadStep step = read_step(place, line);
    if (!steps.empty() && step.at_s <= steps.back().at_s)
      throw UsageError(fmt::format("{}: second {} comes after {}", place, step.at_s, steps.back().at_s),
                       "steps ascend", "sort them");
    steps.push_back(step);
  }
  if (steps.empty()) throw UsageError(fmt::format("{} has no step", path), "a line is a second and a share");
  return steps;
}

}  // namespace loadshare
