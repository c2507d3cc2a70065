#include "experiments/lab/control_groups.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "base/io/descriptor.hpp"
#include "base/io/error_text.hpp"

namespace loadshare::lab {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto longest_end = 5s;
constexpr auto check_interval = 2ms;

void write_word(const fs::path& file, const std::string& word) {
  std::ofstream out(file);
  out << word << std::flush;
  if (!out) throw_errno(fmt::format("cannot write {} to {}", word, file.string()));
}

void make_group(const fs::path& group) {
  std::error_code error;
  fs::create_directories(group, error);
  if (error)
    throw Error(ExitCode::run_failed, fmt::format("cannot make the control group {}", group.string()),
                error_text(error));
}

std::vector<pid_t> processes_in(const fs::path& group) {
  std::vector<pid_t> processes;
  std::ifstream file(group / "cgroup.procs");
  for (pid_t process = 0; file >> process;) processes.push_back(process);
  return processes;
}

std::vector<fs::path> groups_below(const fs::path& group) {
  std::vector<fs::path> groups;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(group, gone))
    if (entry.is_directory(gone)) groups.push_back(entry.path());
  return groups;
}

std::vector<pid_t> processes_below(const fs::path& group) {
  std::vector<pid_t> processes = processes_in(group);
  for (const fs::path& below : groups_below(group))
    std::ranges::copy(processes_below(below), std::back_inserter(processes));
  return processes;
}

/// Kills until no process is left, because a killed process may just have started another one.
void empty(const fs::path& group) {
  const auto give_up = std::chrono::steady_clock::now() + longest_end;
  for (auto left = processes_in(group); !left.empty(); left = processes_in(group)) {
    if (std::chrono::steady_clock::now() > give_up)
      throw Error(ExitCode::run_failed,
                  fmt::format("process {} in {} does not end", left.front(), group.string()),
                  "it was killed, but the kernel still waits for a device", "try again later");
    for (const pid_t process : left) kill(process, SIGKILL);
    std::this_thread::sleep_for(check_interval);
  }
}

void remove_group(const fs::path& group) {
  for (const fs::path& below : groups_below(group)) remove_group(below);
  empty(group);
  // A process that has just ended keeps its group busy for a moment.
  const auto give_up = std::chrono::steady_clock::now() + longest_end;
  while (rmdir(group.c_str()) == -1 && errno != ENOENT) {
    if (errno != EBUSY || std::chrono::steady_clock::now() > give_up)
      throw_errno(fmt::format("cannot remove the control group {}", group.string()));
    std::this_thread::sleep_for(check_interval);
    empty(group);  // a process may have entered it since
  }
}

/// A mounted control-group hierarchy: the group `top` is mounted at `point`.
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

/// Returns the path without a slash at its end, so that paths of the same folder are equal.
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

/// Makes a group of version 2 pass the cpu controller on, unless it does already. That requires a group
/// without processes, except at the top.
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
  const auto group = own_control_group(hierarchy.version, "cpu", root);
  if (!group) return std::nullopt;
  const fs::path own = group_folder(root, hierarchy, *group);
  const fs::path top = top_folder(root, hierarchy);
  if (hierarchy.version == GroupVersion::v2) return nearest_v2(top, own);
  return fs::exists(own / "cpu.cfs_quota_us") || own == top ? std::optional(own) : std::nullopt;
}

}  // namespace

void ControlGroups::make(const LabPlan& plan) const {
  make_group(place_.folder);
  if (place_.version == GroupVersion::v2) write_word(place_.folder / "cgroup.subtree_control", "+cpu");
  set_weight(plan.hosts.size());
  make_group(daemons_folder());
  make_group(free_folder());
  for (const HostPlan& host : plan.hosts) {
    if (host.is_free()) continue;
    make_group(host_folder(host.name));
    set_quota(host_folder(host.name), host.share, plan.period_us);
    if (place_.version == GroupVersion::v2)
      write_word(host_folder(host.name) / "cgroup.subtree_control", "+cpu");
    make_group(ranks_folder(host.name));
    make_group(load_folder(host.name));
    make_group(beat_folder(host.name));
  }
}

void ControlGroups::enter_host(const std::string& host) const {
  write_word(ranks_folder(host) / "cgroup.procs", std::to_string(getpid()));
}

void ControlGroups::enter_beat(const std::string& host) const {
  write_word(beat_folder(host) / "cgroup.procs", std::to_string(getpid()));
}

void ControlGroups::enter_free() const {
  write_word(free_folder() / "cgroup.procs", std::to_string(getpid()));
}

void ControlGroups::enter_daemons() const {
  write_word(daemons_folder() / "cgroup.procs", std::to_string(getpid()));
}

bool ControlGroups::exist() const {
  std::error_code ignored;
  return fs::exists(place_.folder, ignored);
}

bool ControlGroups::has_this_process() const {
  const auto processes = processes_below(place_.folder);
  return std::ranges::find(processes, getpid()) != processes.end();
}

std::size_t ControlGroups::processes(const std::string& host) const {
  return processes_in(ranks_folder(host)).size() + processes_in(load_folder(host)).size();
}

void ControlGroups::remove() const {
  remove_group(place_.folder);
}

fs::path ControlGroups::host_folder(const std::string& host) const {
  return place_.folder / ("host." + host);
}

fs::path ControlGroups::ranks_folder(const std::string& host) const {
  return host_folder(host) / "ranks";
}

fs::path ControlGroups::load_folder(const std::string& host) const {
  return host_folder(host) / "load";
}

fs::path ControlGroups::beat_folder(const std::string& host) const {
  return host_folder(host) / "beat";
}

fs::path ControlGroups::free_folder() const {
  return place_.folder / "free";
}

fs::path ControlGroups::daemons_folder() const {
  return place_.folder / "daemons";
}

/// Gives each host, instead of the lab as a whole, the weight of one other program on the machine.
void ControlGroups::set_weight(std::size_t hosts) const {
  constexpr std::size_t most_v1 = 262144;  // the kernel's
  constexpr std::size_t most_v2 = 10000;
  if (place_.version == GroupVersion::v2)
    write_word(place_.folder / "cpu.weight", std::to_string(std::min(100 * hosts, most_v2)));
  else
    write_word(place_.folder / "cpu.shares", std::to_string(std::min(1024 * hosts, most_v1)));
}

void ControlGroups::set_quota(const fs::path& group, double share, int period_us) const {
  const auto quota_us = static_cast<long>(std::lround(share * period_us));
  if (place_.version == GroupVersion::v2) {
    write_word(group / "cpu.max", fmt::format("{} {}", quota_us, period_us));
    return;
  }
  write_word(group / "cpu.cfs_period_us", std::to_string(period_us));
  write_word(group / "cpu.cfs_quota_us", std::to_string(quota_us));
}

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
