#include "apps/synthetic/effort.hpp"

#include <algorithm>

#include "apps/synthetic/busy.hpp"
#include "apps/synthetic/sleep.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::synthetic {

const std::vector<EffortEntry>& effort_entries() {
  static const std::vector<EffortEntry> entries = {
      {"busy", "computes what takes the master so long, and slower machines longer", true,
       [](std::uint64_t rounds_per_second) -> std::unique_ptr<Effort> {
         return std::make_unique<Busy>(rounds_per_second);
       }},
      {"sleep", "sleeps so long, on whatever machine", false,
       [](std::uint64_t) -> std::unique_ptr<Effort> { return std::make_unique<Sleep>(); }},
  };
  return entries;
}

const EffortEntry& effort_entry(const std::string& name) {
  const auto found = std::ranges::find(effort_entries(), name, &EffortEntry::name);
  if (found != effort_entries().end()) return *found;
  std::vector<std::string> names;
  for (const EffortEntry& entry : effort_entries()) names.push_back(entry.name);
  throw unknown_name("--how", name, names);
}

}  // namespace loadshare::synthetic
