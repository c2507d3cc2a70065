#include "experiments/yaml/document.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/yaml/parse.hpp"

namespace loadshare::yaml {
namespace {

constexpr std::size_t longest_bytes = std::size_t{16} << 20;

[[noreturn]] void throw_unreadable(const std::string& path, std::string_view why) {
  throw UsageError(fmt::format("cannot read '{}'", path), why);
}

std::string content_of(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw_unreadable(path, "it is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_unreadable(path, errno != 0 ? std::strerror(errno) : "it does not open");
  std::string text(longest_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw_unreadable(path, std::strerror(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > longest_bytes) throw_unreadable(path, "it is longer than 16 MB");
  return text;
}

}  // namespace

Value read(const std::string& text, const std::string& file) {
  return {std::make_shared<const std::string>(file), parse(text, file), ""};
}

Value load(const std::string& path) {
  return read(content_of(path), path);
}

}  // namespace loadshare::yaml
