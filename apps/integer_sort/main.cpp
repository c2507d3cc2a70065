#include "apps/integer_sort/job.hpp"
#include "apps/integer_sort/options.hpp"
#include "runtime/farm/program.hpp"

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = integer_sort::read_command_line(argc, argv)) integer_sort::run_job(*options);
    return ExitCode::good;
  });
}
