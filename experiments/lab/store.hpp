#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/io/descriptor.hpp"
#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// Returns the folder of a lab, which contains its state, namespaces, name table and Open MPI's temporary
/// files.
std::filesystem::path lab_folder(const std::string& name);
std::filesystem::path name_table_file(const std::string& name);
std::filesystem::path temporary_folder(const std::string& name);

/// Returns the names of the labs that have a folder, sorted.
std::vector<std::string> lab_names();

/// Returns the lab's state. Without a state nothing else of the lab exists either.
std::optional<LabState> load_state(const std::string& name);

/// Replaces the lab's state atomically: readers find the old or the new one. Throws Error (run_failed).
void save_state(const LabState& state);

/// Removes the lab's folder.
void remove_folder(const std::string& name);

/// Returns the lab of this name or, without a name, the only one that is up. Throws UsageError.
LabState find_lab(const std::optional<std::string>& name);

/// A lock that is held while labs are made or taken down: one at a time on a machine, because labs divide its
/// addresses and processors among them. The last holder removes the folder if there is no lab. Throws Error
/// (run_failed).
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
