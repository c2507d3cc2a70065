#include "experiments/lab/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/file_lock.hpp"
#include "base/io/files.hpp"
#include "base/io/process.hpp"
#include "base/names.hpp"

namespace loadshare::lab {
namespace {

namespace fs = std::filesystem;

const fs::path top = "/run/loadshare";
const fs::path labs = top / "labs";

fs::path state_file(const std::string& name) {
  return lab_folder(name) / "state.json";
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(ExitCode::run_failed, fmt::format("cannot make {}", folder.string()), error_text(error));
}

/// Locks the folder; returns nothing if its last user removed it meanwhile.
std::optional<Descriptor> lock(const fs::path& folder) {
  const std::string problem = fmt::format("cannot lock {}", folder.string());
  make_folder(folder);
  // Other users may pass through the folder but not read it, because a user who can read it could lock it and
  // block labs.
  fs::permissions(folder, fs::perms{0711});
  Descriptor descriptor(checked(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), problem));
  if (const int error = lock_file(descriptor.number(), LockWait::yes); error != 0)
    throw Error(ExitCode::run_failed, problem, fmt::format("{}: {}", cannot_lock, error_text(error)),
                fmt::format("mount a tmpfs on {}", folder.string()));
  struct stat ours {};
  struct stat now {};
  const bool is_same =
      fstat(descriptor.number(), &ours) == 0 && stat(folder.c_str(), &now) == 0 && ours.st_ino == now.st_ino;
  return is_same ? std::optional(std::move(descriptor)) : std::nullopt;
}

std::vector<std::string> names_up() {
  std::vector<std::string> names;
  for (const std::string& name : lab_names())
    if (const auto state = load_state(name); state && state->is_up) names.push_back(name);
  return names;
}

std::string only_lab() {
  const std::vector<std::string> names = names_up();
  if (names.empty()) throw UsageError("no lab is running", "", "start one: loadshare lab up FILE");
  if (names.size() > 1)
    throw UsageError("several labs are running", list_names(names), "choose one with --name");
  return names.front();
}

}  // namespace

fs::path lab_folder(const std::string& name) {
  return labs / name;
}

fs::path name_table_file(const std::string& name) {
  return lab_folder(name) / "hosts";
}

fs::path temporary_folder(const std::string& name) {
  return lab_folder(name) / "tmp";
}

std::vector<std::string> lab_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(labs, none))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::optional<LabState> load_state(const std::string& name) {
  std::ifstream file(state_file(name));
  if (!file) return std::nullopt;
  return from_json({std::istreambuf_iterator<char>(file), {}}, state_file(name));
}

void save_state(const LabState& state) {
  make_folder(lab_folder(state.plan.name));
  replace_file(state_file(state.plan.name).string(), to_json(state) + "\n");
}

void remove_folder(const std::string& name) {
  std::error_code error;
  fs::remove_all(lab_folder(name), error);
  if (error)
    throw Error(ExitCode::run_failed, fmt::format("cannot remove {}", lab_folder(name).string()),
                error_text(error));
}

LabState find_lab(const std::optional<std::string>& name) {
  const std::string wanted = name ? *name : only_lab();
  const auto state = load_state(wanted);
  if (state && state->is_up) return *state;
  if (state)
    throw UsageError(fmt::format("the lab '{}' is incomplete", wanted),
                     "its `lab up` or `lab down` was interrupted",
                     fmt::format("complete it: loadshare lab up {}", file_word(state->file)));
  const std::vector<std::string> names = names_up();
  throw UsageError(fmt::format("no lab '{}' is running", wanted),
                   names.empty() ? "no lab is" : fmt::format("running: {}", list_names(names)),
                   names.empty() ? "start it: loadshare lab up FILE" : did_you_mean(wanted, names));
}

MachineLock::MachineLock() {
  std::optional<Descriptor> locked;
  while (!locked) locked = lock(top);
  folder_ = std::move(*locked);
}

MachineLock::~MachineLock() {
  // Neither is removed while it contains anything.
  ::rmdir(labs.c_str());
  ::rmdir(top.c_str());
}

}  // namespace loadshare::lab
