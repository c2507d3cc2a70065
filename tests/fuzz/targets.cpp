#include "tests/fuzz/targets.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace loadshare::fuzz {

std::span<const Target> targets() {
  static constexpr std::array<Target, 10> all{{{"frames", read_frames},
                                               {"journal", read_journal},
                                               {"profile", read_profile},
                                               {"npy", read_npy},
                                               {"record", read_record},
                                               {"report", read_report},
                                               {"calibration", read_calibration},
                                               {"sweep", read_sweep},
                                               {"lab", read_lab},
                                               {"changes", read_changes}}};
  return all;
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace loadshare::fuzz
