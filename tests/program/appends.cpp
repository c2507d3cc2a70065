// A program whose iterations have effects. Each appends a line to a file when it begins and one when it ends,
// with the process and the time. `copies_test.py` reads there which bodies ran, how often, and when.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iomanip>
#include <sstream>
#include <string>
#include <thread>

#include "program/loadshare.hpp"
#include "runtime/host/clock.hpp"

namespace {

/// Writes in one call, so that lines of several processes do not mix.
void append(int file, const char* what, loadshare::Index iteration) {
  std::ostringstream line;
  line << what << ' ' << iteration << ' ' << getpid() << ' ' << std::fixed << std::setprecision(6)
       << loadshare::monotonic_s() << '\n';
  const std::string text = line.str();
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::_Exit(9);
}

/// Sleeps in small steps: one long sleep would end immediately in a process that goes on after a stop.
void work(double seconds) {
  constexpr double step_s = 1e-3;
  for (double done_s = 0; done_s < seconds; done_s += step_s)
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(step_s, seconds - done_s)));
}

}  // namespace

int main(int argc, char** argv) {
  loadshare::Index numbers = 10;
  double pause_s = 0;
  bool demands = false;
  std::string path;
  const auto body = [&](loadshare::Farm& farm) {
    const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (demands) farm.set_copies(loadshare::Copies::never);
    farm.map<int>(numbers, [&](loadshare::Index i) {
      append(file, "begin", i);
      work(pause_s);
      append(file, "end", i);
      return 0;
    });
    close(file);
  };
  return loadshare::run(argc, argv, body, {.options = [&](CLI::App& app) {
                          app.add_option("FILE", path, "to which each iteration appends")->required();
                          app.add_option("--numbers", numbers, "how many")->check(CLI::NonNegativeNumber);
                          app.add_option("--pause", pause_s, "seconds that an iteration takes");
                          app.add_flag("--demand", demands, "that no copies are made");
                        }});
}
