#pragma once

#include <cstdint>
#include <vector>

#include "models/efficiency/waiting/wait_states.hpp"

namespace loadshare::waiting {

/// What a collective call waits for; of one that is only started the kind says no more than that, so its name
/// does.
profile::CallKind kind_of_collective(const profile::Event& event);

/// Whose begin a member's end of a collective operation must come after, whatever way the data take.
enum class Awaited : std::uint8_t { nobody, root, those_before, sources, all };

/// `call` is the member's call of the operation.
Awaited awaited_by(const Matching& matching, EventId call);

/// The same by name, as far as they came.
std::vector<const Arrival*> awaited_members(const Matching& matching, EventId call);

/// What a member of a collective operation waits for. `call` is its call of the operation; `in` is the call
/// in which it waits: the same, or for one that was only started the wait on it.
///
/// - all to all: until the last member came;
/// - one to all: until the root came; the root until the last of those members came that came before its end;
/// - all to one: the root until the last member came; others until the root came, if they ended after that;
/// - prefix: until the last of the members before it came;
/// - neighbours: until the last of those came whose data it gets. (What large data wait for at their
///   destinations is not told.)
/// - on files, and the freeing of groups: until the last of those members came that came before its end.
Wait late_member(const Matching& matching, EventId call, const profile::Event& in);

}  // namespace loadshare::waiting
