#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/farm/workload.hpp"

namespace loadshare::synthetic {

/// Computes so many rounds of a fixed loop that stays in the processor's registers: the unit of busy work.
/// Each round needs the one before it, so they take the same time wherever they are counted.
void compute_rounds(std::uint64_t rounds);

/// How many rounds this processor computes in a second of its time, other programs' share not counted: the
/// fastest of several short trials, about 30 ms of processor time in all.
std::uint64_t measure_rounds_per_second();

/// How a chunk's cost is spent.
class Effort {
 public:
  virtual ~Effort() = default;

  /// Takes as long as `cost_s` says, or less where the chunk is cancelled meanwhile. Thread-safe.
  virtual void spend(double cost_s, Work& work) const = 0;
  virtual bool uses_processor() const = 0;
};

/// One row of the table of efforts.
struct EffortEntry {
  std::string name;
  std::string description;
  bool is_busy;  ///< it uses the processor, and must know how many rounds a second of cost has
  std::unique_ptr<Effort> (*make)(std::uint64_t rounds_per_second);
};

/// The efforts there are: busy (default), sleep.
const std::vector<EffortEntry>& effort_entries();

/// Throws UsageError on an unknown name (the nearest is named).
const EffortEntry& effort_entry(const std::string& name);

}  // namespace loadshare::synthetic
