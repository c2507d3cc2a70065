#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/farm/workload.hpp"

namespace loadshare::synthetic {

/// Computes rounds of a fixed loop in registers, the unit of busy work. Each round depends on the previous
/// one, so the time per round is the same everywhere in a program.
void compute_rounds(std::uint64_t rounds);

/// Returns the number of rounds per second of this processor's time, without other programs' share: the
/// fastest of several short trials, about 30 ms of processor time in all.
std::uint64_t measure_rounds_per_second();

/// How a chunk's cost is spent.
class Effort {
 public:
  virtual ~Effort() = default;

  /// Takes as long as `cost_s`, or less if the chunk is cancelled meanwhile. Thread-safe.
  virtual void spend(double cost_s, Work& work) const = 0;
  virtual bool uses_processor() const = 0;
};

/// One row of the table of efforts.
struct EffortEntry {
  std::string name;
  std::string description;
  bool is_busy;  ///< uses the processor, and needs the number of rounds per second of cost
  std::unique_ptr<Effort> (*make)(std::uint64_t rounds_per_second);
};

/// Returns the available efforts: busy (default), sleep.
const std::vector<EffortEntry>& effort_entries();

/// Returns the effort of that name. Throws UsageError for an unknown name, suggesting the nearest.
const EffortEntry& effort_entry(const std::string& name);

}  // namespace loadshare::synthetic
