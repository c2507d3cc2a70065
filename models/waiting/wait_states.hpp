#pragma once

#include <array>
#include <cstdint>

#include "models/waiting/matching.hpp"
#include "models/waiting/wait.hpp"

namespace loadshare::waiting {

/// What a call waited for. Nothing is claimed where the partner's call is not known; but tests in vain wait
/// all their time where it is not known for what.
Wait wait_of(const Matching& matching, std::uint32_t rank, const Call& call);

/// How much of a call's time inside MPI was waiting, in [0, its time]; what is left of it moved data. Tests
/// in vain are inside for a part of their time, which is taken to lie evenly in it.
std::int64_t idle_ns(const Wait& wait, const profile::Event& event);

/// How long one rank waited inside MPI, by what for.
struct RankWaits {
  std::array<std::int64_t, wait_states> by_state_ns{};  ///< index: WaitState

  std::int64_t total_ns() const;
};

RankWaits waits_of(const Matching& matching, std::uint32_t rank);

}  // namespace loadshare::waiting
