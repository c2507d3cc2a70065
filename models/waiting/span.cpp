#include "models/waiting/span.hpp"

#include <algorithm>

namespace loadshare::waiting {

Span span_of(const profile::Profile& profile) {
  if (profile.ranks.empty()) return {};
  Span run{profile.ranks.front().begin_ns, profile.ranks.front().end_ns};
  for (const profile::RankProfile& rank : profile.ranks) {
    run.begin_ns = std::min(run.begin_ns, rank.begin_ns);
    run.end_ns = std::max(run.end_ns, rank.end_ns);
  }
  return run;
}

}  // namespace loadshare::waiting
