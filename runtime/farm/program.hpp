#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "runtime/transport/launch.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// Does something that may fail; returns the failure as text, so that every rank can throw it. A good outcome
/// is empty.
std::string outcome_of(const std::function<void()>& action);

/// Throws what `outcome_of` caught, as an AgreedError; any exception that was no Error as run_failed.
void throw_if_failed(const std::string& outcome);

/// Whether `outcome_of` has made this text of an error.
bool is_failure(std::string_view text);

/// Does something on the master that may fail, and lets every rank know: where it throws, all ranks throw.
/// Collective.
void do_on_master(Transport& transport, const std::function<void()>& action);

/// An error that every rank throws at the same point, because the master told them: all can leave MPI in good
/// order, and only the first rank has to print it.
class AgreedError final : public Error {
 public:
  using Error::Error;
};

/// The exception being handled: an Error as it is, any other as run_failed. Only within a `catch` block.
Error current_error();

/// Ends all ranks because of an error that only this one knows of, while the others wait for it; says why.
[[noreturn]] void end_all_ranks(const Error& error);

/// The frame of a program's main: runs `body`, turns what it throws into one message on stderr (under MPI one
/// rank prints) and an exit code, and leaves MPI: in good order where all ranks came to the same end, else by
/// ending all of them. Returns what main should. `prefix` begins the message.
int run_program(const std::function<ExitCode()>& body, const char* prefix = "error");

}  // namespace loadshare
