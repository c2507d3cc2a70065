// Measures a call of Farm::map and, in turn, a plain loop that fills a new vector.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "bench/reference/arguments.hpp"
#include "runtime/farm/farm.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"

namespace {

using namespace loadshare;

/// Computes for some nanoseconds: dependent steps of a generator (Marsaglia, "Xorshift RNGs", 2003).
double value_at(Index i) {
  auto x = static_cast<std::uint64_t>(i) * 2 + 1;
  for (int step = 0; step < 4; ++step) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return static_cast<double>(x);
}

template <class Make>
double seconds_of(Make&& make, std::vector<double>& values) {
  values = {};
  const double begun_s = monotonic_s();
  values = make();
  return monotonic_s() - begun_s;
}

ExitCode run(int argc, const char* const* argv) {
  const bench::Arguments arguments(
      argc, argv,
      {{"--iterations", "10000000"}, {"--repetitions", "5"}, {"--scheduler", "gss"}, {"--workers", "1"}});
  const Index iterations = arguments.number("--iterations", 1);
  FarmOptions options;
  options.scheduler = arguments.text("--scheduler");
  options.workers = arguments.number("--workers", 1);
  Farm farm(options);
  const auto plain = [&] {
    std::vector<double> values(static_cast<std::size_t>(iterations));
    for (Index i = 0; i < iterations; ++i) values[static_cast<std::size_t>(i)] = value_at(i);
    return values;
  };
  std::vector<double> plain_s, map_s, expected, values;
  for (Index i = 0; i < arguments.number("--repetitions", 1); ++i) {
    plain_s.push_back(seconds_of(plain, expected));
    map_s.push_back(seconds_of([&] { return farm.map<double>(iterations, value_at); }, values));
    if (values != expected)
      throw Error(ExitCode::run_failed, "map is wrong", "its values are not the loop's");
  }
  if (farm.is_master())
    fmt::print(R"({{"program": "map_cost", "iterations": {}, "workers": {}, "map_s": {}, "plain_s": {}, )"
               R"("verified": true}})"
               "\n",
               iterations, farm.workers(), bench::json_list(map_s), bench::json_list(plain_s));
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
