#pragma once

namespace loadshare::communication {

struct SizeRange {
  double least_bytes = 0;
  double most_bytes = 0;
};

}  // namespace loadshare::communication
