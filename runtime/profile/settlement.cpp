#include "runtime/profile/settlement.hpp"

#include <algorithm>

namespace loadshare::profile {

Lost settle(const Stretch& stretch, const Progress& progress) {
  const std::int64_t all_ns = stretch.outside_ns + stretch.inside_ns;
  const std::int64_t stolen_ns = std::clamp<std::int64_t>(progress.waited_ns, 0, all_ns);
  const std::int64_t slept_ns = std::max<std::int64_t>(0, all_ns - stolen_ns - progress.ran_ns);
  const std::int64_t blocked_ns = std::min(slept_ns, stretch.outside_ns);
  std::int64_t outside_ns = stretch.outside_ns - blocked_ns;
  std::int64_t inside_ns = stretch.inside_ns - (slept_ns - blocked_ns);
  const std::int64_t last_outside_ns = std::min({stolen_ns, stretch.last_outside_ns, outside_ns});
  const std::int64_t last_inside_ns = std::min({stolen_ns, stretch.last_inside_ns, inside_ns});
  outside_ns -= last_outside_ns;
  inside_ns -= last_inside_ns;
  const std::int64_t rest_ns = stolen_ns - last_outside_ns - last_inside_ns;
  const double share = outside_ns + inside_ns > 0
                           ? static_cast<double>(outside_ns) / static_cast<double>(outside_ns + inside_ns)
                           : 0;
  const auto rest_outside_ns = static_cast<std::int64_t>(share * static_cast<double>(rest_ns));
  return {last_outside_ns + rest_outside_ns, last_inside_ns + rest_ns - rest_outside_ns, blocked_ns};
}

}  // namespace loadshare::profile
