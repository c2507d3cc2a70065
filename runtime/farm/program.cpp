#include "runtime/farm/program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "base/io/error_text.hpp"
#include "base/io/files.hpp"
#include "base/io/terminal.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "runtime/records/progress.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare {
namespace {

/// Whether a person may be reading: at a terminal, or at that of mpirun, behind which no rank has one.
bool has_reader() {
  return isatty(STDERR_FILENO) == 1 || detect_launch().is_mpi;
}

/// Makes an error safe to print, because it contains names of hosts, files and programs from outside.
ErrorText printable(const ErrorText& text) {
  return {loadshare::printable(text.problem), loadshare::printable(text.why),
          loadshare::printable(text.suggestion)};
}

int tell(ExitCode code, const char* prefix, const ErrorText& text) {
  leave_progress_bar();
  const ErrorText safe = printable(text);
  const std::string said = has_reader() ? safe.in_lines() : safe.in_one_line();
  const std::string lines = fitted_to_stderr(std::string(prefix) + ": " + said + "\n");
  std::fwrite(lines.data(), 1, lines.size(), stderr);
  return static_cast<int>(code);
}

/// Of an error that all ranks have, the first one tells. Until MPI is up the others wait for it, because
/// mpirun ends all ranks once one has ended with an error, and loses what another was about to say. Who is
/// not ended by then was wrong about the first, and tells it itself.
int tell_once(ExitCode code, const char* prefix, const ErrorText& text) {
  const Launch launch = detect_launch();
  if (launch.is_first()) return tell(code, prefix, text);
  if (!launch.is_mpi || is_mpi_running()) return static_cast<int>(code);
  std::this_thread::sleep_for(std::chrono::seconds(5));
  return tell(code, prefix, text);
}

/// For an error of this rank alone: the others may be waiting for it, and only ending them all helps.
int tell_and_abort(ExitCode code, const char* prefix, const ErrorText& text) {
  if (code != ExitCode::good) tell(code, prefix, text);  // who leaves in good order has said so
  abort_mpi(static_cast<int>(code));
  return static_cast<int>(code);
}

/// A program may be started with its standard streams closed. The next file it opened would then be taken for
/// stdout or stderr, and get what was meant for a person into its data. What stands in lets writing fail.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) (void)!open("/dev/null", O_RDONLY);
}

/// Between the parts of a failure on its way to other ranks; no text has it.
constexpr char part_end = '\x1f';

std::string encode_failure(ExitCode code, const ErrorText& text) {
  return std::to_string(static_cast<int>(code)) + part_end + text.problem + part_end + text.why + part_end +
         text.suggestion;
}

AgreedError decode_failure(const std::string& failure) {
  std::istringstream in(failure);
  std::string code;
  ErrorText text;
  for (std::string* part : {&code, &text.problem, &text.why, &text.suggestion})
    std::getline(in, *part, part_end);
  // From another process: a failure with the exit code of success is none that we send.
  const int number = parse_integer<int>(code).value_or(0);
  return {number > 0 && number < 128 + 64 ? static_cast<ExitCode>(number) : ExitCode::run_failed,
          std::move(text)};
}

}  // namespace

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::system_error& error) {  // of a library
    if (!is_out_of_files(error.code())) return {ExitCode::run_failed, current_what()};
    return {ExitCode::run_failed, "this process cannot open a file or a connection that it needs",
            error_text(error.code())};
  } catch (...) {
    return {ExitCode::run_failed, current_what()};
  }
}

void end_all_ranks(const Error& error) {
  _exit(tell_and_abort(error.code(), "error", error.text()));
}

int run_program(const std::function<ExitCode()>& body, const char* prefix) {
  occupy_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves shows as an error where we write
  ignore_file_limit_signal();
  int code = 0;
  try {
    code = static_cast<int>(body());
  } catch (const AgreedError& error) {
    code = tell_once(error.code(), prefix, error.text());
  } catch (const UsageError& error) {  // every rank reads the same command line
    code = tell_once(error.code(), prefix, error.text());
  } catch (...) {
    const Error error = current_error();
    return tell_and_abort(error.code(), prefix, error.text());
  }
  leave_mpi_orderly(code);
  return code;
}

std::string outcome_of(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (...) {  // exceptions of the application, too: they must not leave the other ranks waiting
    const Error error = current_error();
    return encode_failure(error.code(), error.text());
  }
}

bool is_failure(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end != 0 && end != std::string_view::npos && text[end] == part_end;
}

void throw_if_failed(const std::string& outcome) {
  if (!outcome.empty()) throw decode_failure(outcome);
}

void do_on_master(Transport& transport, const std::function<void()>& action) {
  std::string outcome;
  if (transport.is_master()) outcome = outcome_of(action);
  throw_if_failed(transport.from_master(outcome));
}

}  // namespace loadshare
