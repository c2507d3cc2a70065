#include "apps/spmd/command_line.hpp"

#include <fmt/format.h>

#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::spmd {
namespace {

constexpr Choices<RunPart, 2> run_parts{{{"whole", RunPart::whole}, {"parallel", RunPart::parallel}}};

}  // namespace

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

void add_run_part(const OptionGroup& group, std::string& word, const std::string& data) {
  group.add("--part", word, "NAME",
            fmt::format("what is run: the whole (rank 0 deals out {} and collects them), or the\n"
                        "parallel part (they are on their ranks, and stay)",
                        data));
}

RunPart parse_run_part(const std::string& word) {
  return choose("--part", word, run_parts);
}

std::string name_of(RunPart part) {
  return name_among(run_parts, part);
}

}  // namespace loadshare::spmd
