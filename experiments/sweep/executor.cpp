#include "experiments/sweep/executor.hpp"

namespace loadshare::sweep {

std::string_view status_name(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::failed:
      return "failed";
    case Status::timeout:
      return "timeout";
    case Status::interrupted:
      return "interrupted";
  }
  return "?";
}

}  // namespace loadshare::sweep
