#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/spec.hpp"

namespace loadshare {

/// How a technique determines its sizes: one for the whole loop, by a rule fixed in advance, or by measured
/// times.
enum class SizeKind { fixed, variable, adaptive };
inline constexpr Choices<SizeKind, 3> size_kinds{
    {{"fixed", SizeKind::fixed}, {"variable", SizeKind::variable}, {"adaptive", SizeKind::adaptive}}};

/// One technique in the table.
struct SchedulerEntry {
  std::string name;
  std::string description;  ///< one line, naming the paper
  std::vector<ParameterInfo> parameters;
  /// Makes the scheduler. Throws UsageError if a parameter's value is invalid.
  std::function<std::unique_ptr<ChunkScheduler>(const SchedulerSpec&, const LoopFacts&)> make;
  /// Returns the specs worth trying for a loop if the best parameters are unknown, the finest last. No
  /// function: only the name, with its defaults.
  std::function<std::vector<std::string>(const LoopFacts&)> candidates = {};
  SizeKind kind = SizeKind::variable;
  /// A spec that can be made for any loop, for a technique that has no defaults. Empty: the name is such a
  /// spec.
  std::string example = {};
};

/// Returns a spec of this technique that can be made for any loop.
inline const std::string& example_of(const SchedulerEntry& entry) {
  return entry.example.empty() ? entry.name : entry.example;
}

/// The available techniques. A program adds its own with `add`; there is no hidden registration.
class SchedulerTable {
 public:
  /// Adds a technique. Throws UsageError if the name exists already or cannot be typed in a spec.
  void add(SchedulerEntry entry);

  const std::vector<SchedulerEntry>& entries() const& { return entries_; }
  /// Deleted for temporaries: a range-based for loop would outlive the table.
  void entries() const&& = delete;

  /// Whether the table contains the technique of a spec.
  bool has_technique(std::string_view spec) const;
  /// Reads `gss:14`, `gss:divisor=14,min=2` ... Throws UsageError; for an unknown name it suggests the
  /// nearest.
  SchedulerSpec parse(std::string_view text) const;

  /// Makes a scheduler from its spec for a loop. Throws UsageError.
  std::unique_ptr<ChunkScheduler> make(std::string_view text, const LoopFacts& loop) const;

  /// Returns the specs worth trying for a loop, in the table's order, without duplicates. Some techniques
  /// have none.
  std::vector<std::string> candidates(const LoopFacts& loop) const;

  /// The text of `--scheduler help`: every technique with its positional form, kind, parameters and defaults,
  /// and how a spec is written. Lines are broken between words at `columns`.
  std::string help(std::size_t columns = 100) const;

 private:
  std::vector<SchedulerEntry> entries_;
};

/// Returns a table of all techniques of this project.
SchedulerTable built_in_schedulers();

}  // namespace loadshare
