#pragma once

#include "models/waiting/matching.hpp"
#include "models/waiting/wait.hpp"

namespace loadshare::waiting {

/// What a collective call waits for; of one that is only started the kind says no more than that, so its name
/// does.
profile::CallKind kind_of_collective(const profile::Event& event);

/// What a member of a collective operation waits for. `call` is its call of the operation; `in` is the call
/// in which it waits: the same, or for one that was only started the wait on it.
///
/// - all to all: until the last member came;
/// - one to all: until the root came; the root until the last of those members came that came before its end;
/// - all to one: the root until the last member came; others until the root came, if they ended after that;
/// - prefix: until the last of the members before it came.
Wait late_member(const Matching& matching, EventId call, const profile::Event& in);

}  // namespace loadshare::waiting
