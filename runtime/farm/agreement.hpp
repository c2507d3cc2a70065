#pragma once

#include <functional>
#include <string>

#include "runtime/transport/transport.hpp"

namespace loadshare {

/// Does something that may fail; returns the failure as text, so that every rank can throw it. A good outcome
/// is empty.
std::string outcome_of(const std::function<void()>& action);

/// Throws what `outcome_of` caught, as an AgreedError; any exception that was no Error as run_failed.
void throw_if_failed(const std::string& outcome);

/// Does something on the master that may fail, and lets every rank know: where it throws, all ranks throw.
/// Collective.
void do_on_master(Transport& transport, const std::function<void()>& action);

}  // namespace loadshare
