#include "apps/synthetic/job.hpp"
#include "apps/synthetic/options.hpp"
#include "runtime/farm/program.hpp"

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = synthetic::read_command_line(argc, argv)) synthetic::run_job(*options);
    return ExitCode::good;
  });
}
