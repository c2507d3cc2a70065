#pragma once

#include "program/farm_command_line.hpp"
#include "program/loadshare.hpp"
#include "program/memory_check.hpp"

namespace loadshare {

/// The main of an application of one job, `OneJob(const Options&)`, whose options `declare` tells the parser
/// of: the first of its arguments beside ours. Returns the exit code.
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
