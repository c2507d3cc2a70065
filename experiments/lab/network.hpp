#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// A rate as a person says it: "100 Mbit/s".
std::string link_rate_text(std::uint64_t bits_per_s);

/// Makes an empty network namespace that stays until drop_namespace(), without a process in it: `file` stands
/// for it. Throws Error (run_failed).
void make_namespace(const std::filesystem::path& file);

/// Lets go of it: it ends with its last process. Nothing where it is not there, or only half made.
void drop_namespace(const std::filesystem::path& file);

/// Moves this thread into the network namespace `file`. Throws Error (run_failed).
void enter_network(const std::filesystem::path& file);

/// The path of a program in PATH, or where administrators' programs are; empty where there is none.
std::string find_program(const std::string& name);

/// Runs `ip -batch -` or `tc -batch -` on these lines in the network namespace `network`. Throws Error
/// (run_failed) with what it printed when it does not end with 0.
void run_batch(const std::filesystem::path& network, const std::string& program, const std::string& lines);

/// Gives this process a host name of its own and `name_table` for its /etc/hosts. Throws Error (run_failed).
void become_host(const std::string& name, const std::filesystem::path& name_table);

// The lab's network as lines for `ip -batch` and `tc -batch`. The switch is a bridge in a namespace of its
// own; a cable is a pair of virtual cards, `portN` at the switch and `eth0` at the host, made in the two
// namespaces so that nothing ever shows among the machine's own links.

/// Host number on the wire of the switch's own address, where mpirun waits.
constexpr std::uint32_t switch_number = 254;
constexpr std::size_t most_hosts = switch_number - 1;

/// For `ip` at the switch; `folder` has each host's namespace as a file, see namespace_file().
std::string switch_links(const LabState& state, const std::filesystem::path& folder);

/// For `tc` at the switch: what comes down to each host is held to the rate of its link.
std::string switch_rates(const LabState& state);

/// For `ip` at the host.
std::string host_links(const LabState& state, std::size_t host);

/// For `tc` at the host: what goes up from it is held to the rate of its link.
std::string host_rates(const LabState& state, std::size_t host);

/// The file under the lab's folder that keeps the namespace of a host, or of the switch, alive.
std::filesystem::path namespace_file(const std::filesystem::path& folder, const std::string& host);
std::filesystem::path switch_namespace_file(const std::filesystem::path& folder);

/// The lines of /etc/hosts in the lab.
std::string name_table(const LabState& state);

}  // namespace loadshare::lab
