#include "program/version.hpp"

#include "program/commit.hpp"  // generated

namespace loadshare {

std::string version_text() {
  const std::string commit = LOADSHARE_COMMIT;
  return LOADSHARE_VERSION " (" + (commit.empty() ? "" : "commit " + commit + ", ") + LOADSHARE_BUILD ")";
}

}  // namespace loadshare
