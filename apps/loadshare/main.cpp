#include <fmt/format.h>

#include <csignal>

#include "apps/loadshare/command_line.hpp"
#include "apps/loadshare/output.hpp"
#include "runtime/timing/terminal.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

ExitCode run_tool(int argc, char** argv) {
  const std::unique_ptr<Command> command = read_command_line(argc, argv);
  const ExitCode code = command ? command->run() : ExitCode::good;
  finish_printing();
  return code;
}

}  // namespace
}  // namespace loadshare::tool

int main(int argc, char** argv) {
  using loadshare::ExitCode, loadshare::write_stderr;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves shows as EPIPE where we write
  try {
    return static_cast<int>(loadshare::tool::run_tool(argc, argv));
  } catch (const loadshare::tool::ReaderGone&) {
    return static_cast<int>(ExitCode::good);
  } catch (const loadshare::Error& error) {
    write_stderr(fmt::format("loadshare: {}\n", error.what()));
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    write_stderr(fmt::format("loadshare: {}\n", error.what()));
    return static_cast<int>(ExitCode::run_failed);
  }
}
