#include "apps/spmd/command_line.hpp"

#include <fmt/format.h>

namespace loadshare::spmd {

void add_options(CommandLineParser& parser, Options& options, DataSource source) {
  if (source == DataSource::random)
    parser.group(data_group)
        .add("--seed", options.seed, whole(0), "N", "seed of the data and of random checks");
  parser.group(computing_group)
      .add("--work", options.work, whole(1, 1'000'000), "N",
           "do every computing step N times, to imitate a slower machine");
  add_load_option(parser, options.load, "ranks", " (every rank is a worker)");
  add_report_options(parser.group(output_group), options.report);
  parser.check([&parser, &options] { options.values = parser.values(); });
}

void add_run_part(const OptionGroup& group, RunPart& part, const std::string& data) {
  group.add(
      "--part", part, run_parts, "NAME",
      fmt::format("what is run: whole (rank 0 distributes {} and collects them), or parallel (they are on "
                  "their ranks already, and stay there)",
                  data));
}

}  // namespace loadshare::spmd
