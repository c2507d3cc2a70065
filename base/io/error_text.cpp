#include "base/io/error_text.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <optional>

namespace loadshare {
namespace {

std::string lower_text(const std::error_code& error) {
  std::string text = error.message();
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

/// The limit that the error is about: how many files this process may have open.
std::optional<rlim_t> exhausted_file_limit(const std::error_code& error) {
  rlimit limit{};
  if (!is_out_of_files(error) || getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return limit.rlim_cur;
}

std::string text_with_limit(const std::error_code& error, rlim_t limit) {
  return fmt::format("{}: this process may have {}", lower_text(error), limit);
}

}  // namespace

std::string error_text(const std::error_code& error) {
  const auto limit = exhausted_file_limit(error);
  return limit ? text_with_limit(error, *limit) + ", which `ulimit -n` raises" : lower_text(error);
}

std::string error_text(int error) {
  return error_text(std::error_code(error, std::generic_category()));
}

ErrorText system_error(std::string_view problem, int error) {
  constexpr rlim_t usual_limit = 1024;
  const std::error_code code(error, std::generic_category());
  const auto limit = exhausted_file_limit(code);
  if (!limit) return {std::string(problem), lower_text(code), ""};
  return {std::string(problem), text_with_limit(code, *limit),
          fmt::format("raise the limit: ulimit -n {}", std::max<rlim_t>(usual_limit, 2 * *limit))};
}

bool is_out_of_files(const std::error_code& error) {
  const std::string_view category = error.category().name();
  return error.value() == EMFILE && (category == "generic" || category.ends_with("system"));
}

}  // namespace loadshare
