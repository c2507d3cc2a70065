#include "experiments/lab/network.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "runtime/host/threads.hpp"

namespace loadshare::lab {
namespace {

namespace fs = std::filesystem;

struct Unit {
  std::string_view name;
  std::uint64_t bits_per_s;
};

constexpr std::array<Unit, 3> units{{{"Gbit/s", 1'000'000'000}, {"Mbit/s", 1'000'000}, {"kbit/s", 1'000}}};

/// Runs `work` on its own thread, so that its changes of namespaces end with that thread.
void on_own_thread(std::function<void()> work) {
  CheckedThread thread;
  thread.start("to enter a host's network", std::move(work));
  thread.join();
}

/// As long as the queue of a switch port, so that a burst from all hosts to one is delayed instead of lost.
constexpr std::uint64_t least_queue_bytes = 512 * 1024;
constexpr std::uint64_t most_queue_bytes = std::uint64_t{2} << 30;  // half the limit of tc

std::string rate_line(const std::string& card, std::uint64_t bits_per_s, const LabPlan& plan) {
  const std::uint64_t burst_bytes = burst_bytes_of(bits_per_s, plan);
  const std::uint64_t queue_bytes = std::clamp(8 * burst_bytes, least_queue_bytes, most_queue_bytes);
  return fmt::format("qdisc add dev {} root tbf rate {}bit burst {}b limit {}b\n", card, bits_per_s,
                     burst_bytes, queue_bytes);
}

/// Folders of administrators' programs, which not every PATH contains.
constexpr const char* more_folders = "/usr/sbin:/sbin:/usr/bin:/bin";

std::string port(std::size_t host) {
  return fmt::format("port{}", host + 1);
}

}  // namespace

std::string link_rate_text(std::uint64_t bits_per_s) {
  for (const Unit& unit : units)
    if (bits_per_s >= unit.bits_per_s)
      return fmt::format("{:g} {}", static_cast<double>(bits_per_s) / static_cast<double>(unit.bits_per_s),
                         unit.name);
  return fmt::format("{} bit/s", bits_per_s);
}

void make_namespace(const fs::path& file) {
  const std::string problem = fmt::format("cannot make the network namespace {}", file.string());
  const Descriptor place(checked(open(file.c_str(), O_CREAT | O_RDONLY | O_CLOEXEC, 0444), problem));
  on_own_thread([&] {
    checked(unshare(CLONE_NEWNET), problem);
    checked(mount("/proc/thread-self/ns/net", file.c_str(), nullptr, MS_BIND, nullptr), problem);
  });
}

void drop_namespace(const fs::path& file) {
  umount2(file.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  std::error_code ignored;
  fs::remove(file, ignored);
}

void enter_network(const fs::path& file) {
  const std::string problem = fmt::format("cannot enter the network namespace {}", file.string());
  const Descriptor network(checked(open(file.c_str(), O_RDONLY | O_CLOEXEC), problem));
  checked(setns(network.number(), CLONE_NEWNET), problem);
}

std::string find_program(const std::string& name) {
  return find_in_path(name, more_folders);
}

Finished try_batch(const fs::path& network, const std::string& program, const std::string& lines) {
  return run_to_end({find_program(program), "-batch", "-"}, lines, [&] { enter_network(network); });
}

void run_batch(const fs::path& network, const std::string& program, const std::string& lines) {
  const Finished done = try_batch(network, program, lines);
  if (done.exit_code != 0)
    throw Error(ExitCode::run_failed, fmt::format("{} -batch - failed", program),
                fmt::format("its output: {}", done.printed));
}

void become_host(const std::string& name, const fs::path& name_table) {
  const std::string problem = fmt::format("cannot become the host {}", name);
  checked(unshare(CLONE_NEWUTS | CLONE_NEWNS), problem);
  checked(sethostname(name.c_str(), name.size()), problem);
  // Mounts made here stay private to this host; later mounts of the machine still appear here.
  checked(mount(nullptr, "/", nullptr, MS_SLAVE | MS_REC, nullptr), problem);
  if (!fs::exists("/etc/hosts")) return;
  checked(mount(name_table.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr), problem);
}

std::string switch_links(const LabState& state, const std::filesystem::path& folder) {
  std::string script = "link set dev lo up\n";
  script += "link add name bridge type bridge stp_state 0 forward_delay 0 mcast_snooping 0\n";
  script += fmt::format("address add {}/{} dev bridge\n", address_text(state.subnet, switch_number),
                        state.subnet.prefix);
  script += "link set dev bridge up\n";
  for (std::size_t host = 0; host < state.plan.hosts.size(); ++host) {
    const std::string cable_end = namespace_file(folder, state.plan.hosts[host].name).string();
    script += fmt::format("link add name {} type veth peer name eth0 netns {}\n", port(host), cable_end);
    script += fmt::format("link set dev {} up master bridge\n", port(host));
  }
  return script;
}

std::string switch_rates(const LabState& state) {
  std::string script;
  for (std::size_t host = 0; host < state.plan.hosts.size(); ++host)
    script += rate_line(port(host), state.plan.hosts[host].link_bits_per_s, state.plan);
  return script;
}

std::string host_links(const LabState& state, std::size_t host) {
  return fmt::format("link set dev lo up\naddress add {}/{} dev eth0\nlink set dev eth0 up\n",
                     state.places[host].address, state.subnet.prefix);
}

std::string host_rates(const LabState& state, std::size_t host) {
  return rate_line("eth0", state.plan.hosts[host].link_bits_per_s, state.plan);
}

std::filesystem::path namespace_file(const std::filesystem::path& folder, const std::string& host) {
  return folder / (host + ".host");
}

std::filesystem::path switch_namespace_file(const std::filesystem::path& folder) {
  return folder / "switch";
}

std::string name_table(const LabState& state) {
  std::string table = "127.0.0.1 localhost\n";
  table += fmt::format("{} switch\n", address_text(state.subnet, switch_number));
  for (std::size_t host = 0; host < state.plan.hosts.size(); ++host)
    table += fmt::format("{} {}\n", state.places[host].address, state.plan.hosts[host].name);
  return table;
}

}  // namespace loadshare::lab
