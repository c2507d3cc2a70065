#pragma once

#include <exception>
#include <functional>

#include "schedulers/error.hpp"

namespace loadshare {

/// An error that every rank throws at the same point, because the master told them: all can leave MPI in good
/// order, and only the first rank has to print it.
class AgreedError final : public Error {
 public:
  using Error::Error;
};

/// Ends all ranks because of an error that only this one knows of, while the others wait for it; says why.
[[noreturn]] void end_all_ranks(const std::exception& error);

/// The frame of a program's main: runs `body`, turns what it throws into one message on stderr (under MPI one
/// rank prints) and an exit code, and leaves MPI: in good order where all ranks came to the same end, else by
/// ending all of them. Returns what main should. `prefix` begins the message.
int run_program(const std::function<ExitCode()>& body, const char* prefix = "error");

}  // namespace loadshare
