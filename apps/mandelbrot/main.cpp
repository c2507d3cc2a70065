#include "apps/mandelbrot/job.hpp"
#include "apps/mandelbrot/options.hpp"
#include "runtime/farm/program.hpp"

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = mandelbrot::read_command_line(argc, argv)) mandelbrot::run_job(*options);
    return ExitCode::good;
  });
}
