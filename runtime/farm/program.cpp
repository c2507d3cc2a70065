#include "runtime/farm/program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "runtime/farm/launch.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare {

namespace {

enum class Speaker { first_rank, this_rank };

int tell(Speaker speaker, ExitCode code, const char* prefix, const char* text) {
  if (speaker == Speaker::this_rank || detect_launch().is_first())
    std::fprintf(stderr, "%s: %s\n", prefix, text);
  return static_cast<int>(code);
}

/// For an error of this rank alone: the others may be waiting for it, and only ending them all helps.
int tell_and_abort(ExitCode code, const char* prefix, const char* text) {
  tell(Speaker::this_rank, code, prefix, text);
  abort_mpi(static_cast<int>(code));
  return static_cast<int>(code);
}

/// A program may be started with its standard streams closed. The next file it opened would then be taken for
/// stdout or stderr, and get what was meant for a person into its data. What stands in lets writing fail.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) (void)!open("/dev/null", O_RDONLY);
}

}  // namespace

void end_all_ranks(const std::exception& error) {
  _exit(tell_and_abort(ExitCode::run_failed, "error", error.what()));
}

int run_program(const std::function<ExitCode()>& body, const char* prefix) {
  occupy_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves shows as an error where we write
  int code = 0;
  try {
    code = static_cast<int>(body());
  } catch (const AgreedError& error) {
    code = tell(Speaker::first_rank, error.code(), prefix, error.what());
  } catch (const UsageError& error) {  // every rank reads the same command line
    code = tell(Speaker::first_rank, error.code(), prefix, error.what());
  } catch (const Error& error) {
    return tell_and_abort(error.code(), prefix, error.what());
  } catch (const std::bad_alloc&) {
    return tell_and_abort(ExitCode::run_failed, prefix, "out of memory");
  } catch (const std::exception& error) {
    return tell_and_abort(ExitCode::run_failed, prefix, error.what());
  }
  leave_mpi_orderly();
  return code;
}

}  // namespace loadshare
