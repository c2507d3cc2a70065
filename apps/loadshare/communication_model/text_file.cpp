#include "apps/loadshare/communication_model/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>

#include "apps/common/system_reason.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {

std::string read_text_file(const std::string& path) {
  const auto cannot = [&] { return UsageError(fmt::format("cannot read {}", path), system_reason(errno)); };
  std::ifstream file(path, std::ios::binary);
  if (!file) throw cannot();
  std::string text;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0)
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
  if (file.bad()) throw cannot();
  return text;
}

}  // namespace loadshare::tool
