#include "experiments/lab/lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/process.hpp"
#include "experiments/lab/beat.hpp"
#include "experiments/lab/control_groups.hpp"
#include "experiments/lab/network.hpp"
#include "experiments/lab/requirements.hpp"
#include "experiments/lab/store.hpp"
#include "runtime/host/scheduling.hpp"

namespace loadshare::lab {
namespace {

constexpr double rounding = 1e-9;  // equal sums of tenths differ by less

std::vector<std::size_t> by_falling_share(std::span<const double> shares) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  return order;
}

std::vector<int> least_loaded(const ProcessorLoads& loads, std::size_t number) {
  std::vector<int> processors;
  for (const auto& [processor, load] : loads) processors.push_back(processor);
  std::ranges::stable_sort(processors, [&](int a, int b) { return loads.at(a) < loads.at(b) - rounding; });
  processors.resize(number);
  std::ranges::sort(processors);
  return processors;
}

namespace fs = std::filesystem;

ProcessorLoads allowed_processors() {
  ProcessorLoads loads;
  for (const int processor : allowed_cpus()) loads[processor] = 0;
  if (loads.empty())
    throw Error(ExitCode::run_failed, "cannot find the processors of this process",
                "the machine has more than a processor set can hold");
  return loads;
}

Subnet choose_subnet() {
  std::vector<Subnet> taken = parse_routes(content_of("/proc/net/route"));
  for (const std::string& name : lab_names())
    if (const auto other = load_state(name)) taken.push_back(other->subnet);
  const auto subnet = free_subnet(taken);
  if (!subnet)
    throw Error(ExitCode::run_failed, "no addresses are left for a lab", "10.208.0.0/12 is in use",
                "take a lab down: loadshare lab status lists them");
  return *subnet;
}

/// Places the hosts on processors so that each gets its share even if all hosts are busy.
std::vector<std::vector<int>> choose_processors(const LabPlan& plan) {
  std::vector<double> shares;
  for (const HostPlan& host : plan.hosts) shares.push_back(host.share);
  ProcessorLoads loads = allowed_processors();
  const auto number = loads.size();
  const auto places = place_hosts(shares, loads);
  const bool is_crowded =
      std::ranges::any_of(loads, [](const auto& processor) { return processor.second > 1 + 1e-9; });
  if (!places || is_crowded)
    throw UsageError(
        fmt::format("the lab '{}' does not fit on this machine", plan.name),
        fmt::format("its hosts cannot get their shares on {} processor{}", number, number == 1 ? "" : "s"),
        "reduce all shares in proportion");
  return *places;
}

GroupPlace choose_groups(const std::string& name) {
  auto place = find_group_place();
  if (!place) throw refusal({.has_cpu_quota = false});
  place->folder /= "loadshare-" + name;
  return *place;
}

LabState arrange(const LabPlan& plan, const std::string& file, const std::string& user) {
  LabState state;
  state.plan = plan;
  state.file = file;
  state.users = {user};
  state.subnet = choose_subnet();
  state.groups = choose_groups(plan.name);
  const auto processors = choose_processors(plan);
  for (std::size_t i = 0; i < plan.hosts.size(); ++i)
    state.places.push_back({address_text(state.subnet, static_cast<std::uint32_t>(i + 1)), processors[i]});
  return state;
}

void write_name_table(const LabState& state) {
  std::ofstream file(name_table_file(state.plan.name));
  file << name_table(state) << std::flush;
  if (!file) throw_errno("cannot write the lab's table of names");
}

void make_network(const LabState& state) {
  const fs::path folder = lab_folder(state.plan.name);
  make_namespace(switch_namespace_file(folder));
  for (const HostPlan& host : state.plan.hosts) make_namespace(namespace_file(folder, host.name));
  run_batch(switch_namespace_file(folder), "ip", switch_links(state, folder));
  run_batch(switch_namespace_file(folder), "tc", switch_rates(state));
  for (std::size_t i = 0; i < state.plan.hosts.size(); ++i) {
    const fs::path host = namespace_file(folder, state.plan.hosts[i].name);
    run_batch(host, "ip", host_links(state, i));
    run_batch(host, "tc", host_rates(state, i));
  }
}

void make(const LabState& state) {
  write_name_table(state);
  fs::create_directories(temporary_folder(state.plan.name));
  make_network(state);
  ControlGroups(state.groups).make(state.plan);
  start_beats(state);
}

/// Removes processes first, because they keep the rest busy, and the state last, because it records what may
/// exist.
void take_down(LabState state) {
  state.is_up = false;
  save_state(state);
  ControlGroups(state.groups).remove();
  const fs::path folder = lab_folder(state.plan.name);
  for (const HostPlan& host : state.plan.hosts) drop_namespace(namespace_file(folder, host.name));
  drop_namespace(switch_namespace_file(folder));
  remove_folder(state.plan.name);
}

void make_or_clear(const LabState& state) {
  try {
    make(state);
  } catch (...) {
    take_down(state);
    if (const Facilities found = try_facilities(look_for_facilities()); !missing(found).empty())
      throw refusal(found);
    throw;
  }
}

void add_user(LabState& state, const std::string& user) {
  if (std::ranges::find(state.users, user) != state.users.end()) return;
  state.users.push_back(user);
  save_state(state);
}

void require_outside(const LabState& state) {
  if (ControlGroups(state.groups).has_this_process())
    throw UsageError(fmt::format("cannot take down the lab '{}' from inside", state.plan.name),
                     "this process would end before the lab is down", "leave the lab first");
}

}  // namespace

std::optional<std::vector<std::vector<int>>> place_hosts(std::span<const double> shares,
                                                         ProcessorLoads& loads) {
  std::vector<std::vector<int>> places(shares.size());
  for (const std::size_t host : by_falling_share(shares)) {
    const bool is_free = shares[host] == 0;
    const auto number = is_free ? loads.size() : static_cast<std::size_t>(std::ceil(shares[host] - rounding));
    if (number > loads.size()) return std::nullopt;
    places[host] = least_loaded(loads, number);
    for (const int processor : places[host]) loads[processor] += shares[host] / static_cast<double>(number);
  }
  return places;
}

UpResult up(const LabPlan& plan, const std::string& file, const std::string& user) {
  require_facilities();
  const MachineLock lock;
  if (auto there = load_state(plan.name)) {
    // A restarted container still has the lab's files, but nothing else of it.
    const bool is_up = there->is_up && ControlGroups(there->groups).exist();
    if (is_up && there->plan == plan) {
      add_user(*there, user);
      return {Outcome::nothing_to_do, *there};
    }
    if (is_up)
      throw UsageError(
          fmt::format("a lab '{}' with other hosts is up", plan.name),
          fmt::format("it was made from {}", there->file),
          fmt::format("take it down first: loadshare lab down --name {}", shell_word(plan.name)));
    take_down(*there);
  }
  LabState state = arrange(plan, file, user);
  save_state(state);
  make_or_clear(state);
  state.is_up = true;
  save_state(state);
  return {Outcome::done, state};
}

Outcome down(const std::string& name) {
  if (!fs::exists(lab_folder(name))) return Outcome::nothing_to_do;
  require_facilities();
  const MachineLock lock;
  const auto state = load_state(name);
  if (!state) {
    remove_folder(name);
    return Outcome::nothing_to_do;
  }
  require_outside(*state);
  take_down(*state);
  return Outcome::done;
}

Outcome release(const std::string& name, const std::string& user) {
  if (!fs::exists(lab_folder(name))) return Outcome::nothing_to_do;
  require_facilities();
  const MachineLock lock;
  const auto state = load_state(name);
  if (!state) return Outcome::nothing_to_do;
  LabState without = *state;
  if (std::erase(without.users, user) == 0) return Outcome::nothing_to_do;
  if (!without.users.empty()) {
    save_state(without);
    return Outcome::nothing_to_do;
  }
  require_outside(*state);
  take_down(*state);  // still with its user, who can repeat this if the process is killed here
  return Outcome::done;
}

}  // namespace loadshare::lab
