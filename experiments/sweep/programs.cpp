#include "experiments/sweep/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>

#include "experiments/sweep/command.hpp"

namespace loadshare::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> own_programs{"matmul", "matvec",      "mandelbrot", "synthetic",
                                                       "cannon", "bucket_sort", "floyd",      "integer_sort"};
constexpr const char* option_characters = "abcdefghijklmnopqrstuvwxyz0123456789-";

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::string help_of(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen((shell_line({path, "--help"}) + " 2>&1").c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> buffer{};
  while (pipe && !std::feof(pipe.get()) && !std::ferror(pipe.get()))
    text.append(buffer.data(), std::fread(buffer.data(), 1, buffer.size(), pipe.get()));
  return text;
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

bool is_own_program(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  return std::ranges::find(own_programs, name) != own_programs.end();
}

std::vector<std::string> listed_options(const std::string& path) {
  const std::string help = help_of(path);
  std::vector<std::string> names;
  for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at)) {
    at += 2;
    const std::size_t end = std::min(help.find_first_not_of(option_characters, at), help.size());
    if (end > at) names.push_back(help.substr(at, end - at));
    at = end;
  }
  return names;
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
