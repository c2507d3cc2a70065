#include "experiments/lab/entry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "experiments/lab/control_groups.hpp"
#include "experiments/lab/launcher_messages.hpp"
#include "experiments/lab/mpirun_words.hpp"
#include "experiments/lab/namespaces.hpp"
#include "experiments/lab/network_script.hpp"
#include "experiments/lab/requirements.hpp"
#include "experiments/lab/store.hpp"
#include "runtime/host/descriptor.hpp"
#include "schedulers/error.hpp"

namespace loadshare::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* switch_name = "switch";

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  signal(SIGPIPE, SIG_DFL);  // what is ignored stays so in the command
  execvp(words.front(), words.data());
  throw UsageError(fmt::format("cannot run '{}'", command.front()), std::strerror(errno));
}

void pin_to(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(static_cast<std::size_t>(processor), &set);
  checked(sched_setaffinity(0, sizeof set, &set), "cannot take the host's processors");
}

void enter_names(const LabState& state, const std::string& host, const fs::path& network) {
  enter_network(network);
  become_host(host, name_table_file(state.plan.name));
}

void enter_host_names(const LabState& state, const std::string& host) {
  const HostPlan& plan = state.plan.hosts[state.host(host)];
  enter_names(state, plan.name, namespace_file(lab_folder(state.plan.name), plan.name));
}

/// The quota comes last, so that nothing of the way in is charged to the host.
void enter_share(const LabState& state, const std::string& host) {
  pin_to(state.places[state.host(host)].processors);
  ControlGroups(state.groups).enter_host(host);
}

std::string own_host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Open MPI cuts its parameters at blanks.
std::string agent_path() {
  const fs::path agent = fs::read_symlink("/proc/self/exe").parent_path() / "loadshare_lab_agent";
  if (access(agent.c_str(), X_OK) != 0)
    throw Error(ExitCode::run_failed, fmt::format("{} is missing", agent.string()),
                "it starts ranks on the lab's hosts", "build or install it beside the tool");
  if (agent.string().find(' ') != std::string::npos)
    throw Error(ExitCode::run_failed, fmt::format("mpirun cannot run {}", agent.string()),
                "there are blanks in its path", "move the tool elsewhere");
  return agent.string();
}

void allow_root() {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
}

}  // namespace

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
  enter_share(state, own_host_name());
  become(command);
}

}  // namespace loadshare::lab
