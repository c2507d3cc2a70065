#include "apps/loadshare/foreground.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

volatile std::sig_atomic_t running = 0;

void pass_on(int number) {
  if (running > 0) kill(running, number);
}

/// The child starts with the signals that a shell would have given it.
class DefaultSignals final {
 public:
  DefaultSignals() {
    posix_spawnattr_init(&attributes_);
    sigset_t ours;
    sigemptyset(&ours);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&ours, number);
    posix_spawnattr_setsigdefault(&attributes_, &ours);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  DefaultSignals(const DefaultSignals&) = delete;
  DefaultSignals& operator=(const DefaultSignals&) = delete;
  ~DefaultSignals() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!variables.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw Error(ExitCode::run_failed, "lost the command", std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_in_foreground(const std::vector<std::string>& words,
                      const std::map<std::string, std::string>& environment) {
  const DefaultSignals signals;
  const std::vector<std::string> variables = environment_with(environment);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, pass_on);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words.front().c_str(), nullptr, signals.get(),
                                 pointers(words).data(), pointers(variables).data());
  if (error != 0) throw UsageError(fmt::format("cannot run '{}'", words.front()), std::strerror(error));
  running = child;
  return wait_for(child);
}

}  // namespace loadshare::tool
