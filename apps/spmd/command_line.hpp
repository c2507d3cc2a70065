#pragma once

#include <optional>
#include <string>

#include "apps/spmd/session.hpp"
#include "program/command_line.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare::spmd {

/// Whether a program's data are random or the same in every run.
enum class DataSource { random, fixed };

/// Adds the options of all programs without a master: --seed (if data are random), --work, --load, --json,
/// --progress.
void add_options(CommandLineParser& parser, Options& options, DataSource source = DataSource::random);

/// The main function of such a program: reads its command line and, unless that asked for help, runs its job.
template <class Options>
int run_app(int argc, char** argv, std::optional<Options> (*read)(int, const char* const*),
            void (*run)(const Options&)) {
  return run_program([&] {
    if (const auto options = read(argc, argv)) run(*options);
    return ExitCode::good;
  });
}

/// Heading in --help of the program's own options.
inline constexpr const char* data_group = "Data";
inline constexpr const char* computing_group = "Computing";

/// The timed part: from rank 0's data to its result, or only the part that all ranks do.
enum class RunPart { whole, parallel };
inline constexpr Choices<RunPart, 2> run_parts{{{"whole", RunPart::whole}, {"parallel", RunPart::parallel}}};

/// Adds --part. `data` names what rank 0 distributes: "the keys".
void add_run_part(const OptionGroup& group, RunPart& part, const std::string& data);

}  // namespace loadshare::spmd
