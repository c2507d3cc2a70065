#pragma once

#include <string>
#include <vector>

#include "models/efficiency/waiting/matching.hpp"

namespace loadshare::waiting {

/// What a profile does not tell, and what the account makes of that: a sentence each. Empty where it tells
/// all.
std::vector<std::string> notes_of(const Matching& matching, double run_s);

}  // namespace loadshare::waiting
