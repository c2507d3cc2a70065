#include "experiments/lab/mpirun_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>

namespace loadshare::lab {
namespace {

using Words = std::vector<std::string>;

using Options = std::set<std::string_view>;

const Options rank_options{"-np", "--np", "-n", "--n", "-c", "-N", "-npernode", "--npernode"};
const Options host_options{"-host",      "--host",       "-H",           "-hostfile",
                           "--hostfile", "-machinefile", "--machinefile"};
const Options files_of_hosts{
    "--default-hostfile", "-default-hostfile", "--rankfile", "-rankfile", "-rf", "--app", "-app"};
const Options bind_options{"-bind-to", "--bind-to"};
const Options other_options_with_value{
    "-x",     "-map-by", "--map-by", "-rank-by",  "--rank-by",         "-wd",        "--wd",
    "-wdir",  "--wdir",  "-timeout", "--timeout", "--output-filename", "-prefix",    "--prefix",
    "-am",    "--am",    "--tune",   "-rf",       "--rankfile",        "-rankfile",  "-path",
    "--path", "-stdin",  "--stdin",  "--ppr",     "--cpu-set",         "--cpu-list", "--preload-files"};
const Options options_with_two_values{"-mca", "--mca", "-gmca", "--gmca"};

std::size_t values_of(const std::string& option) {
  if (options_with_two_values.contains(option)) return 2;
  for (const Options* options : {&rank_options, &host_options, &bind_options, &other_options_with_value})
    if (options->contains(option)) return 1;
  return 0;
}

/// Is one of `options` among those of mpirun itself, before the program?
bool has_any(const Words& words, const Options& options) {
  for (std::size_t i = 1; i < words.size() && words[i].starts_with('-'); i += 1 + values_of(words[i]))
    if (options.contains(words[i])) return true;
  return false;
}

void append(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

void set_parameter(Words& words, const std::string& name, const std::string& value) {
  append(words, {"--mca", name, value});
}

Words host_names(const LabState& state) {
  Words names;
  for (const HostPlan& host : state.plan.hosts) names.push_back(host.name);
  return names;
}

/// How the daemons get to the hosts, and the ranks into the hosts' shares.
void add_ways_in(Words& words, const LabState& state, const LaunchPaths& paths) {
  words.emplace_back("--leave-session-attached");  // without it mpirun waits for ever for daemons that fork
  set_parameter(words, "plm", "rsh");
  set_parameter(words, "plm_rsh_agent", fmt::format("{} shell {}", paths.agent, state.plan.name));
  set_parameter(words, "plm_rsh_no_tree_spawn", "1");
  set_parameter(words, "orte_fork_agent", fmt::format("{} rank {}", paths.agent, state.plan.name));
  set_parameter(words, "orte_tmpdir_base", paths.temporary);
}

void add_network(Words& words, const LabState& state) {
  set_parameter(words, "pml", "ob1");  // others look for networks that no lab has, at each start
  set_parameter(words, "btl", "tcp,self");
  set_parameter(words, "btl_tcp_if_include", to_text(state.subnet));
  set_parameter(words, "oob_tcp_if_include", to_text(state.subnet));
}

}  // namespace

bool is_launcher(const std::string& program) {
  std::string name = program.substr(program.rfind('/') + 1);
  if (name.ends_with(".openmpi")) name.resize(name.rfind('.'));  // as Debian calls them beside MPICH's
  return name == "mpirun" || name == "mpiexec" || name == "orterun";
}

bool may_name_hosts(const Words& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return host_options.contains(word) || files_of_hosts.contains(word);
  });
}

bool allows_more_ranks(const Words& options) {
  constexpr std::string_view mappings = "OVERSUBSCRIBE";  // as in --map-by node:OVERSUBSCRIBE
  Words words{"mpirun"};
  words.insert(words.end(), options.begin(), options.end());
  return has_any(words, host_options) || std::ranges::any_of(options, [&](const std::string& option) {
           return option.ends_with("-oversubscribe") || option.find(mappings) != std::string::npos;
         });
}

std::vector<std::string> lab_launch(const Words& words, const LabState& state, const LaunchPaths& paths) {
  Words all{words.front()};
  add_ways_in(all, state, paths);
  add_network(all, state);
  if (!has_any(words, host_options)) {
    append(all, {"--host", fmt::format("{}", fmt::join(host_names(state), ","))});
    if (!has_any(words, rank_options)) append(all, {"-np", std::to_string(state.plan.hosts.size())});
  }
  if (!has_any(words, bind_options)) append(all, {"--bind-to", "none"});
  all.insert(all.end(), words.begin() + 1, words.end());
  return all;
}

}  // namespace loadshare::lab
