#include "apps/common/standard_output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "schedulers/error.hpp"

namespace loadshare {

void show(std::FILE* out, std::string_view what, std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (std::fflush(out) == 0 && is_written) return;
  if (errno != EPIPE)
    throw Error(ExitCode::run_failed, fmt::format("cannot print {}", what), std::strerror(errno));
}

}  // namespace loadshare
