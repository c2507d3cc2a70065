// A user's program that makes one mistake, which its first word selects: a mistake of the body, or a
// name of loadshare's own for an option that it adds.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "program/loadshare.hpp"
#include "runtime/farm/program.hpp"
#include "tests/no_text.hpp"

namespace {

using loadshare::Index;

int square(Index i) {
  if (i == 42) throw std::runtime_error("there is no 42");
  return static_cast<int>(i * i);
}

/// Throws outside a loop, on every rank or on some.
void stumble(const loadshare::Farm& farm, const std::string& what) {
  const bool is_second = loadshare::detect_launch().rank == 1;
  if (what == "before" || (what == "others" && !farm.is_master()) || (what == "alone" && is_second))
    throw std::runtime_error("no file");
  if (what == "unknown") throw 42;
  if (what == "no text") throw loadshare::test::NoText();
}

/// An iteration throws a value that is not an exception, or an exception without a text.
int throw_strangely(Index i, const std::string& what) {
  if (i == 42 && what == "throws a number") throw 42;
  if (i == 42) throw loadshare::test::NoText();
  return static_cast<int>(i);
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
  stumble(farm, what);
  if (what == "throws") return void(farm.map<int>(100, square));
  if (what == "throws a number" || what == "throws no text")
    return void(farm.map<int>(100, [&](Index i) { return throw_strangely(i, what); }));
  if (what == "interrupted later") {
    farm.map<int>(10, square);
    return void(std::raise(SIGINT));
  }
  if (what == "exits within")
    return void(farm.map<int>(1000, [](Index i) { return i == 3 ? (std::exit(5), 0) : 0; }));
  if (what == "exits later") {
    farm.map<int>(10, square);
    if (farm.is_master()) std::exit(5);
    return;
  }
  if (what == "elsewhere") return void(*farm.map<int>(10, square, loadshare::Keep::on_master));
  if (what == "endless") return void(farm.map<int>(loadshare::Index{1} << 62, square));
  if (what == "negative") return void(farm.map<int>(-1, square));
  if (what == "alone" || what == "others") return void(farm.map<int>(10, square));
  if (what == "within" || what == "memory within") return call_within(farm, what);
  if (what == "master has more" || what == "master has fewer") return run_another_loop_on_some(farm, what);
  const bool is_in = what == "in";
  std::vector<double> given(is_in ? 7 : 10), taken(is_in ? 10 : 7);
  farm.for_chunks(10, loadshare::in(given), loadshare::out(taken), [](loadshare::Chunk, auto, auto) {});
}

}  // namespace

int main(int argc, char** argv) {
  std::string what;
  int count = 0;
  double share = 0;
  const std::string taken = argc == 2 && std::string(argv[1]).starts_with('-') ? argv[1] : "";
  loadshare::Farm* kept = nullptr;
  const auto body = [&](loadshare::Farm& farm) {
    kept = &farm;
    if (what != "twice" && what != "kept") misuse(farm, what);
  };
  const loadshare::Program program{.options = [&](CLI::App& app) {
    app.add_option("WHAT", what, "to do")->required();
    app.add_option("-n,--count", count, "of something")->check(CLI::NonNegativeNumber);
    app.add_option("--share", share, "of something");
    if (!taken.empty()) app.add_option(taken, count, "ours, too");
  }};
  const int code = loadshare::run(argc, argv, body, program);
  if (what == "kept") kept->map<int>(10, square);
  return what == "twice" && code == 0 ? loadshare::run(argc, argv, body, program) : code;
}
