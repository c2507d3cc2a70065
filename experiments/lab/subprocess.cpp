#include "experiments/lab/subprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>

#include "base/error.hpp"
#include "base/io/descriptor.hpp"
#include "base/io/files.hpp"
#include "experiments/lab/network.hpp"

namespace loadshare::lab {
namespace {

constexpr int cannot_start = 127;

/// A file in memory: unlike a pipe it takes any amount while nobody reads.
Descriptor memory_file(const std::string& content) {
  Descriptor file(checked(memfd_create("loadshare", MFD_CLOEXEC), "cannot make a file in memory"));
  if (const int error = write_fully(file.number(), content); error != 0) {
    errno = error;
    throw_errno("cannot write a file in memory");
  }
  checked(static_cast<int>(lseek(file.number(), 0, SEEK_SET)), "cannot rewind a file in memory");
  return file;
}

std::string content_of(const Descriptor& file) {
  std::string content;
  std::array<char, 4096> part{};
  lseek(file.number(), 0, SEEK_SET);
  for (ssize_t size = 0; (size = read(file.number(), part.data(), part.size())) > 0;)
    content.append(part.data(), static_cast<std::size_t>(size));
  while (content.ends_with('\n')) content.pop_back();
  return content;
}

[[noreturn]] void become(const std::filesystem::path& network, const std::vector<char*>& words,
                         const Descriptor& input, const Descriptor& errors) {
  try {
    enter_network(network);
  } catch (const std::exception&) {
    _exit(cannot_start);
  }
  dup2(input.number(), STDIN_FILENO);
  dup2(errors.number(), STDOUT_FILENO);
  dup2(errors.number(), STDERR_FILENO);
  execv(words.front(), words.data());
  _exit(cannot_start);
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) == -1)
    if (errno != EINTR) throw_errno("cannot wait for a program");
  return status;
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path == nullptr ? "" : path) + ":/usr/sbin:/sbin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string file = folder + "/" + name; !folder.empty() && access(file.c_str(), X_OK) == 0)
      return file;
  return "";
}

void run_inside(const std::filesystem::path& network, const std::vector<std::string>& words,
                const std::string& input) {
  const Descriptor in = memory_file(input);
  const Descriptor errors = memory_file("");
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const pid_t child = checked(fork(), "cannot start a program");
  if (child == 0) become(network, pointers, in, errors);
  if (const int status = status_of(child); !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(ExitCode::run_failed, fmt::format("{} failed", fmt::join(words, " ")),
                fmt::format("it said: {}", content_of(errors)));
}

}  // namespace loadshare::lab
