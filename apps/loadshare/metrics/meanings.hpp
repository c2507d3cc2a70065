#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// One row of the table a person reads.
struct MeaningRow {
  std::string name;     ///< "granularity G"
  std::string value;    ///< "88.9", and of several runs their range
  std::string meaning;  ///< one sentence: what it is, and what it says here
};

/// The rows of a point, without those that its runs do not tell.
std::vector<MeaningRow> meanings_of(const Point& point);

/// Ditto of the classical figures, for each sequential time that is known, and of unequal processors.
std::vector<MeaningRow> comparisons_of(const Point& point, const std::string& sequential_source);

}  // namespace loadshare::tool
