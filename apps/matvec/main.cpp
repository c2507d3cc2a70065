#include "apps/matvec/job.hpp"
#include "apps/matvec/options.hpp"
#include "runtime/farm/program.hpp"

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = matvec::read_command_line(argc, argv)) matvec::run_job(*options);
    return ExitCode::good;
  });
}
