#include <fmt/format.h>

#include <csignal>
#include <cstdio>

#include "apps/loadshare/command_line.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

ExitCode carry_out(const NothingToDo&) {
  return ExitCode::good;
}

ExitCode carry_out(const ChunksCommand& command) {
  run(command, built_in_schedulers());
  return ExitCode::good;
}

ExitCode carry_out(const SchedulersCommand&) {
  print(built_in_schedulers().help());
  return ExitCode::good;
}

ExitCode carry_out(const DoctorCommand& command) {
  return run(command);
}

ExitCode run_tool(int argc, char** argv) {
  const Command command = read_command_line(argc, argv);
  const ExitCode code = std::visit([](const auto& chosen) { return carry_out(chosen); }, command);
  finish_printing();
  return code;
}

}  // namespace
}  // namespace loadshare::tool

int main(int argc, char** argv) {
  using loadshare::ExitCode;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves shows as EPIPE where we write
  try {
    return static_cast<int>(loadshare::tool::run_tool(argc, argv));
  } catch (const loadshare::tool::ReaderGone&) {
    return static_cast<int>(ExitCode::good);
  } catch (const loadshare::Error& error) {
    fmt::print(stderr, "loadshare: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "loadshare: {}\n", error.what());
    return static_cast<int>(ExitCode::run_failed);
  }
}
