#include "apps/floyd/job.hpp"
#include "apps/floyd/options.hpp"
#include "runtime/farm/program.hpp"

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = floyd::read_command_line(argc, argv)) floyd::run_job(*options);
    return ExitCode::good;
  });
}
