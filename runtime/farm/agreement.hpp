#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"

namespace loadshare {

/// What all ranks of a run must have alike.
struct Terms {
  std::string program = {};                        ///< which program this is, in which build
  std::map<std::string, std::string> values = {};  ///< by the option's name; empty: not given

  friend bool operator==(const Terms&, const Terms&) = default;
};

/// The running program: its name, loadshare's version, and its build.
std::string own_program();

/// In what the terms of ranks differ, with the values and whose they are; nothing: they are the same.
std::optional<ErrorText> disagreement(std::span<const Terms> by_rank);

/// Compares the terms of all ranks, before anything depends on them: where they differ, every rank throws the
/// same AgreedError(usage). Starts MPI. Collective.
void require_agreement(const Terms& terms);

}  // namespace loadshare
