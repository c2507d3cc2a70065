#include "experiments/lab/entry.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <set>

#include "base/error.hpp"
#include "base/io/process.hpp"
#include "experiments/lab/control_groups.hpp"
#include "experiments/lab/network.hpp"
#include "experiments/lab/requirements.hpp"
#include "experiments/lab/store.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/load/load_process.hpp"

namespace loadshare::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* descriptor_variable = "OPAL_OUTPUT_STDERR_FD";

[[noreturn]] void relay(int source, const HeldSignals& held) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    signal(number, SIG_IGN);  // mpirun's last messages come after the signal
  held.release();
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  FILE* messages = fdopen(source, "r");
  char* line = nullptr;
  std::size_t capacity = 0;
  for (ssize_t size = 0; messages != nullptr && (size = getline(&line, &capacity, messages)) > 0;)
    if (const std::string_view text(line, static_cast<std::size_t>(size)); !is_harmless(text))
      std::fwrite(text.data(), 1, text.size(), stderr);
  _exit(0);
}

/// Starts relay() as an orphan, because mpirun waits for its own children only.
void start_relay(Descriptor source, Descriptor& sink) {
  const HeldSignals held;
  const pid_t child = checked(fork(), "cannot start a process");
  if (child != 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  if (fork() != 0) _exit(0);
  sink.close();
  relay(source.number(), held);
}

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

/// Whether one of `options` is among mpirun's own options, before the program.
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

/// Adds how the daemons reach the hosts and how the ranks enter the hosts' shares.
void add_ways_in(Words& words, const LabState& state, const LaunchPaths& paths) {
  words.emplace_back("--leave-session-attached");  // otherwise mpirun waits for ever for daemons that fork
  set_parameter(words, "plm", "rsh");
  set_parameter(words, "plm_rsh_agent", fmt::format("{} shell {}", paths.agent, state.plan.name));
  set_parameter(words, "plm_rsh_no_tree_spawn", "1");
  set_parameter(words, "orte_fork_agent", fmt::format("{} rank {}", paths.agent, state.plan.name));
  set_parameter(words, "orte_tmpdir_base", paths.temporary);
}

void add_network(Words& words, const LabState& state) {
  set_parameter(words, "pml", "ob1");  // others search for networks that no lab has, at each start
  set_parameter(words, "btl", "tcp,self");
  set_parameter(words, "btl_tcp_if_include", to_text(state.subnet));
  set_parameter(words, "oob_tcp_if_include", to_text(state.subnet));
}

constexpr const char* switch_name = "switch";

void enter_names(const LabState& state, const std::string& host, const fs::path& network) {
  enter_network(network);
  become_host(host, name_table_file(state.plan.name));
}

void enter_host_names(const LabState& state, const std::string& host) {
  const HostPlan& plan = state.plan.hosts[state.host(host)];
  enter_names(state, plan.name, namespace_file(lab_folder(state.plan.name), plan.name));
}

/// Enters the quota last, so that the host is not charged for the entry itself.
void enter_share(const LabState& state, const std::string& host) {
  const std::size_t number = state.host(host);
  pin_to(state.places[number].processors);
  const ControlGroups groups(state.groups);
  if (state.plan.hosts[number].is_free()) return groups.enter_free();
  setenv(LoadProcess::group_variable, groups.load_folder(host).c_str(), 1);
  setenv(quota_look_variable, fmt::format("{}", state.plan.turn_us / 1e6).c_str(), 1);
  groups.enter_host(host);
}

/// Returns the agent's path, which must not contain blanks because Open MPI splits its parameters there.
std::string agent_path() {
  const fs::path agent = fs::path(own_path()).parent_path() / "loadshare_lab_agent";
  if (access(agent.c_str(), X_OK) != 0)
    throw Error(ExitCode::run_failed, fmt::format("{} is missing", agent.string()),
                "it starts ranks on the lab's hosts", "build or install it in the folder of loadshare");
  if (agent.string().find(' ') != std::string::npos)
    throw Error(ExitCode::run_failed, fmt::format("mpirun cannot run {}", agent.string()),
                "its path contains blanks", "move loadshare to a path without blanks");
  return agent.string();
}

void allow_root() {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
}

}  // namespace

bool is_harmless(std::string_view line) {
  return line.find("plm:rsh: Warning: setpgid(") != std::string_view::npos;
}

void filter_launcher_messages() {
  std::array<int, 2> ends{};
  checked(pipe(ends.data()), "cannot make a pipe");
  Descriptor sink(ends[1]);
  start_relay(Descriptor(ends[0]), sink);
  setenv(descriptor_variable, std::to_string(sink.release()).c_str(), 1);
}

void unfilter_launcher_messages() {
  unsetenv(descriptor_variable);
}

void pin_to(const std::vector<int>& processors) {
  if (!run_on(ProcessorSet(processors))) throw_errno("cannot run on the host's processors");
}

bool is_launcher(const std::string& program) {
  std::string name = program.substr(program.rfind('/') + 1);
  if (name.ends_with(".openmpi")) name.resize(name.rfind('.'));  // Debian's names next to MPICH's
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

void run_on_host(const LabState& state, const std::string& host, const std::vector<std::string>& command) {
  require_facilities();
  enter_host_names(state, host);
  allow_root();
  enter_share(state, host);
  become(command);
}

void run_launcher(const LabState& state, const std::vector<std::string>& command) {
  require_facilities();
  const LaunchPaths paths{agent_path(), temporary_folder(state.plan.name).string()};
  ControlGroups(state.groups).enter_daemons();
  filter_launcher_messages();
  enter_names(state, switch_name, switch_namespace_file(lab_folder(state.plan.name)));
  allow_root();
  become(lab_launch(command, state, paths));
}

void run_daemon(const LabState& state, const std::string& host, const std::vector<std::string>& words) {
  unfilter_launcher_messages();
  ControlGroups(state.groups).enter_daemons();
  enter_host_names(state, host);
  become({"/bin/sh", "-c", fmt::format("{}", fmt::join(words, " "))});
}

void run_rank(const LabState& state, const std::vector<std::string>& command) {
  enter_share(state, host_name());
  become(command);
}

}  // namespace loadshare::lab
