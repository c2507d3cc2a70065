#include "base/io/error_text.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <string_view>

namespace loadshare {

std::string error_text(const std::error_code& error) {
  rlimit limit{};
  if (!is_out_of_files(error) || getrlimit(RLIMIT_NOFILE, &limit) != 0) return error.message();
  return fmt::format("{}: this process may have {}, which `ulimit -n` raises", error.message(),
                     limit.rlim_cur);
}

bool is_out_of_files(const std::error_code& error) {
  const std::string_view category = error.category().name();
  return error.value() == EMFILE && (category == "generic" || category.ends_with("system"));
}

std::string error_text(int error) {
  return error_text(std::error_code(error, std::generic_category()));
}

}  // namespace loadshare
