#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/efficiency/waiting/calls.hpp"

namespace loadshare::waiting {

/// When a rank came into MPI next; nothing where it was in it at that instant. MPI_Finalize counts.
std::optional<std::int64_t> next_entry_ns(const profile::RankProfile& rank, std::int64_t at_ns);

/// When it came into it from outside last, within a span but not at its ends; nothing where it did not.
std::optional<std::int64_t> last_entry_ns(const profile::RankProfile& rank, const Span& within);

/// When it was in it, as far as that touches a span. Between tests in vain counts.
void add_presence(const profile::RankProfile& rank, const Span& within, std::vector<Span>& presence);

}  // namespace loadshare::waiting
