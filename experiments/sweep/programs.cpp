#include "experiments/sweep/programs.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace loadshare::sweep {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> in_path(const std::string& name) {
  const char* folders = std::getenv("PATH");
  std::istringstream list(folders != nullptr ? folders : "");
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty() && is_program(fs::path(folder) / name)) return (fs::path(folder) / name).string();
  return std::nullopt;
}

}  // namespace

std::string own_path() {
  std::error_code failure;
  const fs::path path = fs::read_symlink("/proc/self/exe", failure);
  return failure ? "loadshare" : path.string();
}

std::optional<std::string> find_program(const std::string& name, const std::string& folder) {
  if (name.find('/') != std::string::npos) {
    const fs::path path = fs::absolute(fs::path(folder) / name).lexically_normal();
    return is_program(path) ? std::optional(path.string()) : std::nullopt;
  }
  const fs::path neighbour = fs::path(own_path()).parent_path() / name;
  if (is_program(neighbour)) return neighbour.string();
  return in_path(name);
}

}  // namespace loadshare::sweep
