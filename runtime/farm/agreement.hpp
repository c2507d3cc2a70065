#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"

namespace loadshare {

struct FarmOptions;

/// The program and the options of a rank, which must be the same on all ranks of a run.
struct Terms {
  std::string program = {};                        ///< its name, version and build
  std::map<std::string, std::string> values = {};  ///< by the option's name; empty: not given
  /// As they were written, which may be another text for the same value. Only shown, not compared.
  std::map<std::string, std::string> typed = {};
};

/// The terms that must be the same on all ranks, with names as on a command line: `options` in canonical
/// form, and as they were `typed`.
Terms terms_of(const FarmOptions& options, const FarmOptions& typed);

/// The running program: its name, loadshare's version, and its build.
std::string own_program();

/// Describes how the terms of ranks differ, with each value and its ranks; nothing: they are the same.
std::optional<ErrorText> disagreement(std::span<const Terms> by_rank);

/// Compares the terms of all ranks, before anything depends on them. If they differ, every rank throws the
/// same AgreedError(usage). Starts MPI. Collective.
void require_agreement(const Terms& terms);

}  // namespace loadshare
