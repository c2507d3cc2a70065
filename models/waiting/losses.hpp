#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/waiting/wait_states.hpp"

namespace loadshare::waiting {

/// Time that all ranks together lost in one kind of call from one place of the program, for one reason.
struct Loss {
  std::string_view call;              ///< "MPI_Recv"; "outside MPI"
  std::string place;                  ///< "solve() at prog+0x1234"; empty: not known
  WaitState state = WaitState::none;  ///< what was waited for; none: data were moved
  double seconds = 0;
};

/// Where the time inside MPI went, and what was idle outside, the greatest loss first. What others had of the
/// processor meanwhile is no call's loss (`granted_share`). Calls whose events were dropped are not among
/// them.
std::vector<Loss> losses(const Matching& matching);

}  // namespace loadshare::waiting
