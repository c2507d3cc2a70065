#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/efficiency/granularity.hpp"
#include "models/efficiency/waiting/matching.hpp"
#include "models/efficiency/waiting/wait_states.hpp"
#include "profiler/profile.hpp"

namespace loadshare::waiting {

/// What of a run is accounted for: all of it, or what its program says counts (RankProfile::counted), where a
/// rank that says nothing counts all the time. Of that the run is what counts of any rank, and a rank is idle
/// in as much of it as does not count of its own.
enum class Extent : std::uint8_t { whole, counted };

/// Whether there is such a part, and it is known of every rank.
bool says_what_counts(const profile::Profile& profile);

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
std::vector<Loss> losses(const Matching& matching, Extent extent = Extent::whole);

/// A call and where it stands in the program, as in Loss; both empty: the begin or the end of what is
/// accounted for.
struct Place {
  std::string_view call;
  std::string place;

  auto operator<=>(const Place&) const = default;
};

/// Where one rank computes more than the others: between two calls.
struct Excess {
  Place from;
  Place to;
  double own_s = 0;
  double others_s = 0;  ///< on average
};

/// Where that rank (by its place in the profile) does so most; nothing where it does nowhere. All time
/// outside MPI counts, stolen time too: the kernel does not tell which of it that was.
std::optional<Excess> excess_of(const profile::Profile& profile, std::uint32_t rank,
                                Extent extent = Extent::whole);

/// Where the time of all ranks went, from their profile.
///
/// The run lasts from the first rank's begin to the last one's end, and a rank that begins late or is in
/// MPI_Finalize early is idle meanwhile. Outside MPI a rank computes, but for what the kernel says was stolen
/// or slept away (idle). Inside MPI it is idle while its partner has not begun (`wait_of`), and communicates
/// the rest of the time: also where the partner's call is not known, of which `notes` and `losses` tell. What
/// was stolen inside MPI is stolen as far as the rest of the call goes that it is told of, and else by the
/// share of the rests; who waits loses nothing by it. Nothing is extrapolated; `notes` names what the profile
/// does not tell, so a result with notes is partial.
granularity::RunTimes account(const profile::Profile& profile);

/// The same, for who has matched the calls already.
granularity::RunTimes account(const Matching& matching, Extent extent = Extent::whole);

}  // namespace loadshare::waiting
