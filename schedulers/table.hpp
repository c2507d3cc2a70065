#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/spec.hpp"

namespace loadshare {

/// One technique in the table.
struct SchedulerEntry {
  std::string name;
  std::string description;  ///< one line, with the paper
  std::vector<ParameterInfo> parameters;
  /// Makes the scheduler; throws UsageError when a parameter's value makes no sense.
  std::function<std::unique_ptr<ChunkScheduler>(const SchedulerSpec&, const LoopFacts&)> make;
  /// The specs worth trying for a loop, where nobody knows which parameters fit it, the finest last; none:
  /// the name alone, with its defaults.
  std::function<std::vector<std::string>(const LoopFacts&)> candidates = {};
};

/// The techniques there are. A program adds its own with `add`; there is no hidden registration.
class SchedulerTable {
 public:
  /// Adds a technique; throws UsageError when the name is taken or could not be typed in a spec.
  void add(SchedulerEntry entry);

  const std::vector<SchedulerEntry>& entries() const& { return entries_; }
  /// Not from a temporary table: a range-based for over it would outlive the table.
  void entries() const&& = delete;

  /// Reads `gss:14`, `gss:divisor=14,min=2` ...; throws UsageError (unknown names say which is nearest).
  SchedulerSpec parse(std::string_view text) const;

  /// Makes a scheduler from its spec for a loop; throws UsageError.
  std::unique_ptr<ChunkScheduler> make(std::string_view text, const LoopFacts& loop) const;

  /// The specs worth trying for a loop, of every technique in the table's order; none twice.
  std::vector<std::string> candidates(const LoopFacts& loop) const;

  /// The text of `--scheduler help`: every technique with its positional form, parameters and defaults, and
  /// how a spec is written. At most 100 columns wide.
  std::string help() const;

 private:
  std::vector<SchedulerEntry> entries_;
};

/// A table holding every technique of this project.
SchedulerTable built_in_schedulers();

}  // namespace loadshare
