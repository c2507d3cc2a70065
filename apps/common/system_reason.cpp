#include "apps/common/system_reason.hpp"

#include <cctype>
#include <system_error>

namespace loadshare {

std::string system_reason(int error) {
  std::string text = std::generic_category().message(error);
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace loadshare
