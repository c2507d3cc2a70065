#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/io/process.hpp"
#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// Returns a rate with a unit for people: "100 Mbit/s".
std::string link_rate_text(std::uint64_t bits_per_s);

/// Makes an empty network namespace that `file` represents. It exists until drop_namespace(), even without a
/// process in it. Throws Error (run_failed).
void make_namespace(const std::filesystem::path& file);

/// Releases the namespace, which ends with its last process. Does nothing if it does not exist or is only
/// half made.
void drop_namespace(const std::filesystem::path& file);

/// Moves this thread into the network namespace `file`. Throws Error (run_failed).
void enter_network(const std::filesystem::path& file);

/// Returns the path of a program in PATH or in the folders of administrators' programs; empty if there is
/// none.
std::string find_program(const std::string& name);

/// Runs `ip -batch -` or `tc -batch -` on these lines in the network namespace `network`. Throws Error
/// (run_failed) if it cannot be started.
Finished try_batch(const std::filesystem::path& network, const std::string& program,
                   const std::string& lines);

/// The same, and throws Error (run_failed) with the program's output if it fails.
void run_batch(const std::filesystem::path& network, const std::string& program, const std::string& lines);

/// Gives this process its own host name, and `name_table` as its /etc/hosts. Throws Error (run_failed).
void become_host(const std::string& name, const std::filesystem::path& name_table);

// The lab's network as lines for `ip -batch` and `tc -batch`. The switch is a bridge in its own namespace. A
// cable is a pair of virtual cards, `portN` at the switch and `eth0` at the host, made in the two namespaces
// so that they never appear among the machine's own links.

/// Host number of the switch's own address, where mpirun waits.
constexpr std::uint32_t switch_number = 254;
constexpr std::size_t most_hosts = switch_number - 1;

/// Returns lines for `ip` at the switch. `folder` contains each host's namespace as a file, see
/// namespace_file().
std::string switch_links(const LabState& state, const std::filesystem::path& folder);

/// Returns lines for `tc` at the switch, which limit the traffic to each host to the rate of its link.
std::string switch_rates(const LabState& state);

/// Returns lines for `ip` at the host.
std::string host_links(const LabState& state, std::size_t host);

/// Returns lines for `tc` at the host, which limit the traffic from it to the rate of its link.
std::string host_rates(const LabState& state, std::size_t host);

/// Returns the file in the lab's folder that keeps the namespace of a host, or of the switch, alive.
std::filesystem::path namespace_file(const std::filesystem::path& folder, const std::string& host);
std::filesystem::path switch_namespace_file(const std::filesystem::path& folder);

/// Returns the lines of /etc/hosts in the lab.
std::string name_table(const LabState& state);

}  // namespace loadshare::lab
