#pragma once

#include <cstdint>
#include <vector>

#include "models/reconstruction/element.hpp"
#include "runtime/profile/profile.hpp"

namespace loadshare::reconstruction {

/// Timing graphs know no communicators: messages of one must not meet those of another, so tags of each get a
/// range of their own. Communicators without a common rank, such as the rows of a grid, share one.
class LayeredTags final {
 public:
  explicit LayeredTags(const profile::Profile& profile);

  /// The event's tag; of any tag that is any. Throws UsageError where it is too large for its range.
  std::int32_t of(const profile::Event& event) const;

 private:
  std::vector<std::int32_t> layers_;  ///< by communicator
};

}  // namespace loadshare::reconstruction
