#include "apps/spmd/command_line.hpp"

#include "apps/common/whole_number.hpp"

namespace loadshare::spmd {

void CommandLine::add_to(CommandLineParser& parser, DataSource source) {
  if (source == DataSource::random)
    parser.group(data_group).add("--seed", seed_, "N", "of the data, and of random checks");
  parser.group(computing_group)
      .add("--work", work_, "N", "do every computing step N times, to stand for a machine so much slower");
  parser.group("Who disturbs")
      .add("--load", load_, "SPEC",
           "a background load beside the ranks: on=1s,off=1s | constant | trace=FILE, and\n"
           "share=0.5 (of the processor, for the load), phase=0|250ms|random, seed=1,\n"
           "where=workers|all|0-3+5 (every rank is a worker)");
  const OptionGroup reports = parser.group("What is told");
  reports.add("--json", json_, "FILE", "append the run's record to FILE as one line; - is stdout");
  reports.add("--progress", progress_, "HOW", "auto, bar, lines or none");
}

Options CommandLine::read() const {
  Options options;
  options.seed = whole_number("--seed", seed_, 0);
  options.work = whole_number("--work", work_, 1);
  options.load = load_;
  options.report.json = json_;
  options.report.progress = parse_progress_mode(progress_);
  return options;
}

}  // namespace loadshare::spmd
