#pragma once

#include <cstdint>

#include "base/names.hpp"

namespace loadshare {

/// Whether the master's host computes too.
enum class MasterMode { works, coordinates };
inline constexpr Choices<MasterMode, 2> master_modes{
    {{"works", MasterMode::works}, {"coordinates", MasterMode::coordinates}}};

/// How a master or worker with nothing to do waits.
enum class WaitPolicy {
  spin,       ///< burns its core, unless others want that; shortest latency, where each thread has its own
  yield,      ///< burns what nobody else wants
  nap,        ///< sleeps until it is woken; a guest on other people's machines
  automatic,  ///< spin where every thread of the host has a core of its own, nap elsewhere
};

/// As on a command line.
inline constexpr Choices<WaitPolicy, 4> wait_policies{{{"spin", WaitPolicy::spin},
                                                       {"yield", WaitPolicy::yield},
                                                       {"nap", WaitPolicy::nap},
                                                       {"auto", WaitPolicy::automatic}}};

/// What who waits for messages does, in a word that those who send them read.
struct Alertness {
  static constexpr std::uint32_t awake = 0;
  static constexpr std::uint32_t asleep = 1;
  static constexpr std::uint32_t waking = 2;  ///< woken, and waits for a core
};

}  // namespace loadshare
