#include "apps/matmul/job.hpp"
#include "apps/matmul/options.hpp"
#include "runtime/farm/program.hpp"

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = matmul::read_command_line(argc, argv)) matmul::run_job(*options);
    return ExitCode::good;
  });
}
