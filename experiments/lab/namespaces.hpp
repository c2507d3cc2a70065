#pragma once

#include <filesystem>
#include <string>

namespace loadshare::lab {

/// Makes an empty network namespace that stays until drop_namespace(), without a process in it: `file` stands
/// for it. Throws Error (run_failed).
void make_namespace(const std::filesystem::path& file);

/// Lets go of it: it ends with its last process. Nothing where it is not there, or only half made.
void drop_namespace(const std::filesystem::path& file);

/// Moves this thread into the network namespace `file`. Throws Error (run_failed).
void enter_network(const std::filesystem::path& file);

/// Gives this process a host name of its own and `name_table` for its /etc/hosts. Throws Error (run_failed).
void become_host(const std::string& name, const std::filesystem::path& name_table);

}  // namespace loadshare::lab
