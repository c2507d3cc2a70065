#include "experiments/lab/launcher_messages.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/host/descriptor.hpp"

namespace loadshare::lab {
namespace {

constexpr const char* descriptor_variable = "OPAL_OUTPUT_STDERR_FD";

[[noreturn]] void relay(int source) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    signal(number, SIG_IGN);  // mpirun's last words come after
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  FILE* messages = fdopen(source, "r");
  char* line = nullptr;
  std::size_t capacity = 0;
  for (ssize_t size = 0; messages != nullptr && (size = getline(&line, &capacity, messages)) > 0;)
    if (const std::string_view text(line, static_cast<std::size_t>(size)); !is_harmless(text))
      std::fwrite(text.data(), 1, text.size(), stderr);
  _exit(0);
}

/// Starts relay() as nobody's child: mpirun minds its own children only.
void start_relay(Descriptor source, Descriptor& sink) {
  const pid_t child = checked(fork(), "cannot start a process");
  if (child != 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  if (fork() != 0) _exit(0);
  sink.close();
  relay(source.number());
}

}  // namespace

bool is_harmless(std::string_view line) {
  return line.find("plm:rsh: Warning: setpgid(") != std::string_view::npos;
}

void filter_launcher_messages() {
  std::array<int, 2> ends{};
  checked(pipe(ends.data()), "cannot make a pipe");
  Descriptor sink(ends[1]);
  start_relay(Descriptor(ends[0]), sink);
  setenv(descriptor_variable, std::to_string(sink.release()).c_str(), 1);
}

void unfilter_launcher_messages() {
  unsetenv(descriptor_variable);
}

}  // namespace loadshare::lab
