#include "apps/bucket_sort/job.hpp"
#include "apps/bucket_sort/options.hpp"
#include "runtime/farm/program.hpp"

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = bucket_sort::read_command_line(argc, argv)) bucket_sort::run_job(*options);
    return ExitCode::good;
  });
}
