#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/spec.hpp"

namespace loadshare {

/// How a technique's sizes come about: one for the whole loop; by a rule that was fixed before it began; by
/// what its chunks took.
enum class SizeKind { fixed, variable, adaptive };
inline constexpr Choices<SizeKind, 3> size_kinds{
    {{"fixed", SizeKind::fixed}, {"variable", SizeKind::variable}, {"adaptive", SizeKind::adaptive}}};

/// One technique in the table.
struct SchedulerEntry {
  std::string name;
  std::string description;  ///< one line, with the paper
  std::vector<ParameterInfo> parameters;
  /// Makes the scheduler; throws UsageError when a parameter's value makes no sense.
  std::function<std::unique_ptr<ChunkScheduler>(const SchedulerSpec&, const LoopFacts&)> make;
  /// The specs worth trying for a loop, where nobody knows which parameters fit it, the finest last; no
  /// function: the name alone, with its defaults.
  std::function<std::vector<std::string>(const LoopFacts&)> candidates = {};
  SizeKind kind = SizeKind::variable;
  /// A spec that can be made for any loop, of a technique whose name alone cannot; empty: it can.
  std::string example = {};
};

/// A spec of this technique that can be made for any loop.
inline const std::string& example_of(const SchedulerEntry& entry) {
  return entry.example.empty() ? entry.name : entry.example;
}

/// The techniques there are. A program adds its own with `add`; there is no hidden registration.
class SchedulerTable {
 public:
  /// Adds a technique; throws UsageError when the name is taken or could not be typed in a spec.
  void add(SchedulerEntry entry);

  const std::vector<SchedulerEntry>& entries() const& { return entries_; }
  /// Not from a temporary table: a range-based for over it would outlive the table.
  void entries() const&& = delete;

  /// Whether the technique of a spec is in it.
  bool has_technique(std::string_view spec) const;
  /// Reads `gss:14`, `gss:divisor=14,min=2` ...; throws UsageError (unknown names say which is nearest).
  SchedulerSpec parse(std::string_view text) const;

  /// Makes a scheduler from its spec for a loop; throws UsageError.
  std::unique_ptr<ChunkScheduler> make(std::string_view text, const LoopFacts& loop) const;

  /// The specs worth trying for a loop, in the table's order, none twice; some techniques have none.
  std::vector<std::string> candidates(const LoopFacts& loop) const;

  /// The text of `--scheduler help`: every technique with its positional form, kind, parameters and defaults,
  /// and how a spec is written. At most 100 columns wide.
  std::string help() const;

 private:
  std::vector<SchedulerEntry> entries_;
};

/// A table holding every technique of this project.
SchedulerTable built_in_schedulers();

}  // namespace loadshare
