#include "base/io/descriptor.hpp"

#include <cerrno>

#include "base/error.hpp"
#include "base/io/error_text.hpp"

namespace loadshare {

void throw_errno(std::string_view problem) {
  throw Error(ExitCode::run_failed, system_error(problem, errno));
}

int checked(int result, std::string_view problem) {
  if (result == -1) throw_errno(problem);
  return result;
}

}  // namespace loadshare
