#pragma once

#include <variant>

#include "apps/loadshare/chunks.hpp"
#include "apps/loadshare/doctor.hpp"

namespace loadshare::tool {

struct SchedulersCommand {};

/// The help was asked for and has been printed.
struct NothingToDo {};

using Command = std::variant<NothingToDo, ChunksCommand, SchedulersCommand, DoctorCommand>;

/// What the command line asks for; throws UsageError.
Command read_command_line(int argc, const char* const* argv);

}  // namespace loadshare::tool
