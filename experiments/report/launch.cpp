#include "experiments/report/launch.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/io/process.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::report {
namespace {

namespace fs = std::filesystem;

// Searches without importing, because importing matplotlib takes a second.
constexpr const char* probe = R"(
import sys
from importlib.util import find_spec
sys.exit(sys.version_info < (3, 10) or not all(map(find_spec, ("numpy", "scipy", "matplotlib")))))";

bool succeeds(const Words& command) {
  try {
    return run_to_end(command).exit_code == 0;
  } catch (const NotStarted&) {
    return false;
  }
}

bool is_package(const fs::path& folder) {
  std::error_code none;
  return fs::is_regular_file(folder / "__main__.py", none);
}

/// Throws UsageError if the address space is small, because numpy's BLAS then waits for memory forever
/// instead of failing.
void require_address_space() {
  constexpr rlim_t least_bytes = rlim_t{1} << 30;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= least_bytes) return;
  throw UsageError("python has too little address space to draw",
                   fmt::format("numpy, scipy and matplotlib need {}, and ulimit -v allows {}",
                               human_bytes(least_bytes), human_bytes(limit.rlim_cur)),
                   "raise it: ulimit -v unlimited");
}

}  // namespace

fs::path find_package(const fs::path& tool_folder, const fs::path& source_folder) {
  const fs::path installed = tool_folder.parent_path() / "share/loadshare/report";
  if (is_package(installed)) return installed;
  if (is_package(source_folder)) return source_folder;
  throw UsageError("the report's python package is missing",
                   fmt::format("it is neither in {} nor in {}", installed.string(), source_folder.string()),
                   "install loadshare again: cmake --install build");
}

std::string find_python(std::span<const std::string> candidates) {
  for (const std::string& python : candidates)
    if (succeeds({python, "-c", probe})) return python;
  throw UsageError("no python3 can make the report",
                   fmt::format("it needs version 3.10 or later with numpy, scipy and matplotlib; tried {}",
                               list_names(candidates)),
                   "apt-get install python3-matplotlib python3-scipy");
}

void run_python(const std::vector<std::string>& arguments, std::string_view input) {
  require_address_space();
  const Descriptor file = memory_file(input);  // unlike a pipe, it needs no second process that writes
  checked(dup2(file.number(), STDIN_FILENO), "cannot pass the figures to python");
  const std::vector<std::string> candidates{"python3", "/usr/bin/python3"};
  const fs::path package = find_package(fs::path(own_path()).parent_path(), LOADSHARE_REPORT_DIR);
  Words command{find_python(candidates), package.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  become(command);
}

}  // namespace loadshare::report
