// A user's program whose bodies do more than return a value; `bodies_test.py` counts and times them.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "program/loadshare.hpp"

namespace {

/// Writes each line in one call, so that lines of several processes do not mix.
void append(const std::string& file, loadshare::Index iteration) {
  const std::string line = std::to_string(iteration) + "\n";
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (descriptor < 0) throw std::runtime_error(file + " cannot be opened");
  const auto written = write(descriptor, line.data(), line.size());
  close(descriptor);
  if (written != static_cast<ssize_t>(line.size())) throw std::runtime_error(file + " cannot be written");
}

void run(const std::string& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error(command + " failed");
}

}  // namespace

int main(int argc, char** argv) {
  loadshare::Index iterations = 200;
  double pause_s = 0;
  std::string file, command;
  const auto body = [&](loadshare::Farm& farm) {
    farm.map<loadshare::Index>(iterations, [&](loadshare::Index i) {
      if (!file.empty()) append(file, i);
      if (!command.empty()) run(command);
      if (pause_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pause_s));
      return i;
    });
  };
  return loadshare::run(argc, argv, body, {.options = [&](CLI::App& app) {
                          app.add_option("--iterations", iterations, "how many");
                          app.add_option("--file", file, "each iteration appends its number to it");
                          app.add_option("--command", command, "each iteration runs it");
                          app.add_option("--pause", pause_s, "seconds that each iteration sleeps");
                        }});
}
