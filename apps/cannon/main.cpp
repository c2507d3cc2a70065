#include "apps/cannon/job.hpp"
#include "apps/cannon/options.hpp"
#include "runtime/farm/program.hpp"

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = cannon::read_command_line(argc, argv)) cannon::run_job(*options);
    return ExitCode::good;
  });
}
