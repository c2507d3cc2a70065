#include "apps/spmd/command_line.hpp"

#include <fmt/format.h>

namespace loadshare::spmd {

void add_options(CommandLineParser& parser, Options& options, DataSource source) {
  if (source == DataSource::random)
    parser.group(data_group).add("--seed", options.seed, whole(0), "N", "of the data, and of random checks");
  parser.group(computing_group)
      .add("--work", options.work, whole(1, 1'000'000), "N",
           "do every computing step N times, to stand for a machine so much slower");
  parser.group("Who disturbs")
      .add("--load", options.load, "SPEC",
           "a background load beside the ranks: on=1s,off=1s | constant | trace=FILE, and\n"
           "share=0.5 (of the processor, for the load), phase=0|250ms|random, seed=1,\n"
           "where=workers|all|0-3+5 (every rank is a worker)");
  add_report_options(parser.group("What is told"), options.report);
  parser.check([&parser, &options] { options.values = parser.values(); });
}

void add_run_part(const OptionGroup& group, RunPart& part, const std::string& data) {
  group.add("--part", part, run_parts, "NAME",
            fmt::format("what is run: the whole (rank 0 deals out {} and collects them), or the\n"
                        "parallel part (they are on their ranks, and stay)",
                        data));
}

}  // namespace loadshare::spmd
