#pragma once

#include <map>
#include <string_view>

#include "models/efficiency/waiting/matching.hpp"

namespace loadshare::waiting {

/// Whether the profile tells whether this call waited. Where it does not (a partner's call is missing, what
/// it waits for is not recorded, or a short send did not end when it should have), what is left of its time
/// beside what `wait_of` claims may have been waiting, too.
bool is_told(const Matching& matching, std::uint32_t rank, const Call& call);

/// Of all ranks, how long they were in such calls beside what they are known to have waited, in seconds by
/// the call's name. What others had of the processor meanwhile is not taken out.
std::map<std::string_view, double> untold_s(const Matching& matching);

}  // namespace loadshare::waiting
