// A program of somebody's own that does one of the things that cannot be: its first word says which.
#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "program/loadshare.hpp"

namespace {

using loadshare::Index;

int square(Index i) {
  if (i == 42) throw std::runtime_error("there is no 42");
  return static_cast<int>(i * i);
}

/// A loop, or memory of the farm's, in every iteration of a loop.
void call_within(loadshare::Farm& farm, const std::string& what) {
  const auto inner = [&](Index) {
    return what == "within" ? farm.map<int>(10, square).back() : farm.resident<int>(10).front();
  };
  farm.map<int>(100, inner);
}

/// One loop on all ranks, and another on the master alone, or on all others.
void run_another_loop_on_some(loadshare::Farm& farm, const std::string& what) {
  farm.map<int>(10, square);
  if (farm.is_master() == (what == "master has more")) farm.map<int>(10, square);
}

void misuse(loadshare::Farm& farm, const std::string& what) {
  if (what == "throws") return void(farm.map<int>(100, square));
  if (what == "elsewhere") return void(*farm.map<int>(10, square, loadshare::Keep::on_master));
  if (what == "negative") return void(farm.map<int>(-1, square));
  if (what == "within" || what == "memory within") return call_within(farm, what);
  if (what == "master has more" || what == "master has fewer") return run_another_loop_on_some(farm, what);
  const bool is_in = what == "in";
  std::vector<double> given(is_in ? 7 : 10), taken(is_in ? 10 : 7);
  farm.for_chunks(10, loadshare::in(given), loadshare::out(taken), [](loadshare::Chunk, auto, auto) {});
}

}  // namespace

int main(int argc, char** argv) {
  std::string what;
  const bool is_taken = argc > 1 && std::string(argv[1]) == "option";
  const auto body = [&](loadshare::Farm& farm) {
    if (what != "twice") misuse(farm, what);
  };
  const loadshare::Program program{.options = [&](CLI::App& app) {
    app.add_option("WHAT", what, "to do")->required();
    if (is_taken) app.add_option("--scheduler", what, "ours, too");
  }};
  const int code = loadshare::run(argc, argv, body, program);
  return what == "twice" && code == 0 ? loadshare::run(argc, argv, body, program) : code;
}
