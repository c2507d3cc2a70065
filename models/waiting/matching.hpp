#pragma once

#include "models/waiting/collectives.hpp"
#include "models/waiting/epochs.hpp"
#include "models/waiting/messages.hpp"
#include "models/waiting/polling.hpp"

namespace loadshare::waiting {

/// Which calls of a run belong together, over all ranks: what waiting is judged by, and a timing graph drawn
/// from. The profile must outlive it.
struct Matching {
  explicit Matching(const profile::Profile& of)
      : profile(of), messages(of), collectives(of), epochs(of), polling(of) {}

  const profile::Profile& profile;
  Messages messages;
  Collectives collectives;
  Epochs epochs;
  Polling polling;
};

}  // namespace loadshare::waiting
