// A user's program whose bodies do more than return a value. `bodies_test.py` and `copies_test.py` read in
// the file what ran, how often, and when.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "program/loadshare.hpp"
#include "runtime/host/clock.hpp"

namespace {

/// Writes each line in one call, with the process and the time, so that lines of several processes do not
/// mix.
void append(const std::string& file, const char* what, loadshare::Index iteration) {
  if (file.empty()) return;
  std::ostringstream line;
  line << what << ' ' << iteration << ' ' << getpid() << ' ' << std::fixed << std::setprecision(6)
       << loadshare::monotonic_s() << '\n';
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0) throw std::runtime_error(file + " cannot be opened");
  const auto written = write(descriptor, line.str().data(), line.str().size());
  close(descriptor);
  if (written != static_cast<ssize_t>(line.str().size()))
    throw std::runtime_error(file + " cannot be written");
}

void run(const std::string& command) {
  if (!command.empty() && std::system(command.c_str()) != 0) throw std::runtime_error(command + " failed");
}

/// In small steps: one sleep would be over at once in a process that goes on after it was stopped.
void spend(double seconds) {
  constexpr double step_s = 10e-3;
  for (double done_s = 0; done_s < seconds; done_s += step_s)
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(step_s, seconds - done_s)));
}

}  // namespace

int main(int argc, char** argv) {
  loadshare::Index iterations = 200;
  double pause_s = 0;
  bool says = false;
  bool crashes = false;
  bool demands = false;
  std::string file, command;
  const auto body = [&](loadshare::Farm& farm) {
    if (demands) farm.set_copies(loadshare::Copies::never);
    farm.map<loadshare::Index>(iterations, [&](loadshare::Index i) {
      append(file, "begin", i);
      if (says) std::printf("iteration %d\nof %d", static_cast<int>(i), static_cast<int>(iterations));
      if (says) std::printf(" is computed\n");
      if (crashes && 2 * i > iterations) std::abort();
      run(command);
      spend(pause_s);
      append(file, "end", i);
      return i;
    });
  };
  return loadshare::run(argc, argv, body, {.options = [&](CLI::App& app) {
                          app.add_option("--iterations", iterations, "how many");
                          app.add_option("--file", file, "each iteration appends to it at its begin and end");
                          app.add_option("--command", command, "each iteration runs it");
                          app.add_flag("--say", says, "each iteration prints two lines");
                          app.add_flag("--crash", crashes,
                                       "an iteration behind the middle aborts the program");
                          app.add_option("--pause", pause_s, "seconds that each iteration sleeps");
                          app.add_flag("--demand", demands, "that no copies are made");
                        }});
}
