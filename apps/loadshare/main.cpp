#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare::tool {
namespace {

ExitCode run_tool(int argc, char** argv) {
  try {
    const std::unique_ptr<Command> command = read_command_line(argc, argv);
    const ExitCode code = command ? command->run() : ExitCode::good;
    finish_printing();
    return code;
  } catch (const ReaderGone&) {
    return ExitCode::good;
  }
}

}  // namespace
}  // namespace loadshare::tool

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return loadshare::tool::run_tool(argc, argv); }, "loadshare");
}
