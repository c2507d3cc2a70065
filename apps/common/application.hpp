#pragma once

#include "program/farm_command_line.hpp"
#include "program/loadshare.hpp"
#include "program/memory_check.hpp"

namespace loadshare {

/// The main function of an application with one job, `OneJob(const Options&)`. `declare` declares its
/// options. Returns the exit code.
template <class OneJob, class Options>
int run_job(int argc, char** argv, Program program,
            void (*declare)(CommandLineParser& parser, Options& options, RunOptions& ours)) {
  Options options;
  program.command_line = [&](CommandLineParser& parser, RunOptions& ours) { declare(parser, options, ours); };
  program.has_own_output = false;
  const auto body = [&](Farm& farm) {
    OneJob job(options);
    farm.run(job);
  };
  return run(argc, argv, body, program);
}

}  // namespace loadshare
