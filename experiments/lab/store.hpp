#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/io/descriptor.hpp"
#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// The folder of a lab: its state, its namespaces, its table of names, Open MPI's temporary files.
std::filesystem::path lab_folder(const std::string& name);
std::filesystem::path name_table_file(const std::string& name);
std::filesystem::path temporary_folder(const std::string& name);

/// The labs that have a folder, by name.
std::vector<std::string> lab_names();

/// The lab's state; nothing where there is none: then nothing else of it is there either.
std::optional<LabState> load_state(const std::string& name);

/// Replaces the lab's state as a whole: readers find the old or the new one. Throws Error
/// (run_failed).
void save_state(const LabState& state);

/// Removes the lab's folder.
void remove_folder(const std::string& name);

/// The lab that is up under this name or, without a name, the only one there is. Throws UsageError.
LabState find_lab(const std::optional<std::string>& name);

/// Held while labs are made or taken down: one at a time on a machine, since they share out its addresses and
/// processors. The last to let go leaves no trace where there is no lab. Throws Error (run_failed).
class MachineLock final {
 public:
  MachineLock();
  ~MachineLock();
  MachineLock(const MachineLock&) = delete;
  MachineLock& operator=(const MachineLock&) = delete;

 private:
  Descriptor folder_;
};

}  // namespace loadshare::lab
