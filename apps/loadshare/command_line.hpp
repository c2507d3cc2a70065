#pragma once

#include <memory>

#include "apps/loadshare/command.hpp"

namespace loadshare::tool {

/// The subcommand that the command line asks for, told its words; nothing when help or the version was asked
/// for and has been printed. Throws UsageError.
std::unique_ptr<Command> read_command_line(int argc, const char* const* argv);

}  // namespace loadshare::tool
