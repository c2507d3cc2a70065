#pragma once

#include <cstdint>

#include "runtime/profile/profile.hpp"

namespace loadshare::waiting {

/// From the first rank's begin to the last one's end.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

Span span_of(const profile::Profile& profile);

/// How long the run went on before the rank began and after it had ended.
inline std::int64_t absent_ns(const profile::RankProfile& rank, const Span& run) {
  return (rank.begin_ns - run.begin_ns) + (run.end_ns - rank.end_ns);
}

}  // namespace loadshare::waiting
