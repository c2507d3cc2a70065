#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "experiments/lab/control_groups.hpp"

namespace loadshare::lab {
namespace {

namespace fs = std::filesystem;

/// A mounted control-group hierarchy: the group `top` is what shows at `point`.
struct Hierarchy {
  GroupVersion version;
  fs::path point;
  std::string top;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::vector<std::string> words_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istream_iterator<std::string>(file), {}};
}

/// A line of mountinfo: `36 25 0:31 TOP POINT OPTIONS ... - TYPE SOURCE SUPER-OPTIONS`.
std::optional<Hierarchy> hierarchy_of(const std::string& line) {
  const std::vector<std::string> fields = split(line, ' ');
  const auto dash = std::ranges::find(fields, "-");
  if (fields.size() < 6 || fields.end() - dash < 4) return std::nullopt;
  if (dash[1] == "cgroup2") return Hierarchy{GroupVersion::v2, fields[4], fields[3]};
  if (dash[1] == "cgroup" && has(split(dash[3], ','), "cpu"))
    return Hierarchy{GroupVersion::v1, fields[4], fields[3]};
  return std::nullopt;
}

/// The path of this process's group in a hierarchy: `0::PATH`, or `4:cpu,cpuacct:PATH`.
std::optional<std::string> own_group(const fs::path& root, GroupVersion version) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = split(line, ':');
    if (fields.size() < 3) continue;
    const bool is_it = version == GroupVersion::v2 ? fields[1].empty() : has(split(fields[1], ','), "cpu");
    if (is_it) return line.substr(line.find(':', line.find(':') + 1) + 1);
  }
  return std::nullopt;
}

/// The same path without a slash at its end, so that paths of one folder are equal.
fs::path plain(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

fs::path top_folder(const fs::path& root, const Hierarchy& hierarchy) {
  return plain(root / hierarchy.point.relative_path());
}

fs::path group_folder(const fs::path& root, const Hierarchy& hierarchy, std::string group) {
  if (hierarchy.top != "/" && group.starts_with(hierarchy.top)) group.erase(0, hierarchy.top.size());
  return plain(top_folder(root, hierarchy) / fs::path(group).relative_path());
}

/// A group of version 2 hands its controllers on when it does already, or when no process is in it; the
/// topmost may have processes.
bool hands_cpu_on(const fs::path& group, const fs::path& top) {
  if (!has(words_of(group / "cgroup.controllers"), "cpu")) return false;
  if (has(words_of(group / "cgroup.subtree_control"), "cpu")) return true;
  const bool may = group == top || words_of(group / "cgroup.procs").empty();
  return may && (std::ofstream(group / "cgroup.subtree_control") << "+cpu" << std::flush);
}

std::optional<fs::path> nearest_v2(const fs::path& top, fs::path group) {
  for (;; group = group.parent_path()) {
    if (hands_cpu_on(group, top)) return group;
    if (group == top || group == group.parent_path()) return std::nullopt;
  }
}

std::optional<fs::path> place_in(const fs::path& root, const Hierarchy& hierarchy) {
  const auto group = own_group(root, hierarchy.version);
  if (!group) return std::nullopt;
  const fs::path own = group_folder(root, hierarchy, *group);
  const fs::path top = top_folder(root, hierarchy);
  if (hierarchy.version == GroupVersion::v2) return nearest_v2(top, own);
  return fs::exists(own / "cpu.cfs_quota_us") || own == top ? std::optional(own) : std::nullopt;
}

}  // namespace

std::optional<GroupPlace> find_group_place(const fs::path& root) {
  std::ifstream mounts(root / "proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const auto hierarchy = hierarchy_of(line);
    if (!hierarchy) continue;
    const auto folder = place_in(root, *hierarchy);
    if (folder && access(folder->c_str(), W_OK) == 0) return GroupPlace{hierarchy->version, *folder};
  }
  return std::nullopt;
}

}  // namespace loadshare::lab
