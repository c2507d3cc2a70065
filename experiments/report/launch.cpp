#include "experiments/report/launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/names.hpp"

namespace loadshare::report {
namespace {

namespace fs = std::filesystem;

// Looks without importing: that takes a second for matplotlib.
constexpr const char* probe = R"(
import sys
from importlib.util import find_spec
sys.exit(sys.version_info < (3, 10) or not all(map(find_spec, ("numpy", "scipy", "matplotlib")))))";

/// The words as execv wants them; they live as long as `words`.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// File actions of a child that says nothing.
class Silence {
 public:
  Silence() {
    posix_spawn_file_actions_init(&actions_);
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions_, descriptor, "/dev/null", O_WRONLY, 0);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { posix_spawn_file_actions_destroy(&actions_); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

bool succeeds(std::vector<std::string> command) {
  const Silence silence;
  pid_t child = 0;
  if (posix_spawnp(&child, command[0].c_str(), silence.get(), nullptr, pointers(command).data(), environ) !=
      0)
    return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_package(const fs::path& folder) {
  std::error_code none;
  return fs::is_regular_file(folder / "__main__.py", none);
}

/// A file in memory takes any input without a second process to feed a pipe.
void become_stdin(std::string_view input) {
  const int file = memfd_create("loadshare-figures", MFD_CLOEXEC);
  const int error = file < 0 ? errno : write_fully(file, input);
  if (error != 0 || lseek(file, 0, SEEK_SET) < 0 || dup2(file, STDIN_FILENO) < 0)
    throw Error(ExitCode::run_failed, "cannot hand the figures to python",
                std::strerror(error != 0 ? error : errno));
}

fs::path tool_folder() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).parent_path();
}

}  // namespace

fs::path find_package(const fs::path& tool_folder, const fs::path& source_folder) {
  const fs::path installed = tool_folder.parent_path() / "share/loadshare/report";
  if (is_package(installed)) return installed;
  if (is_package(source_folder)) return source_folder;
  throw UsageError("the report's python package is missing",
                   fmt::format("neither in {} nor in {}", installed.string(), source_folder.string()),
                   "install loadshare anew: cmake --install build");
}

std::string find_python(std::span<const std::string> candidates) {
  for (const std::string& python : candidates)
    if (succeeds({python, "-c", probe})) return python;
  throw UsageError("no python3 can make the report",
                   fmt::format("it takes 3.10 or later with numpy, scipy and matplotlib; tried {}",
                               list_names(candidates)),
                   "apt-get install python3-matplotlib python3-scipy");
}

void run_python(const std::vector<std::string>& arguments, std::string_view input) {
  become_stdin(input);
  const std::vector<std::string> candidates{"python3", "/usr/bin/python3"};
  const fs::path package = find_package(tool_folder(), LOADSHARE_REPORT_DIR);
  std::vector<std::string> command{find_python(candidates), package.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  execvp(command[0].c_str(), pointers(command).data());
  throw Error(ExitCode::run_failed, fmt::format("cannot start {}", command[0]), std::strerror(errno));
}

}  // namespace loadshare::report
