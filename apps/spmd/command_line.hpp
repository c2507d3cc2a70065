#pragma once

#include <string>

#include "apps/spmd/session.hpp"
#include "program/command_line.hpp"

namespace loadshare::spmd {

/// Whether a program's data are random, or the same in every run.
enum class DataSource { random, fixed };

/// The options that all programs without a master have: --seed (where data are random), --work, --load,
/// --json, --progress. Words until the command line is read.
class CommandLine {
 public:
  void add_to(CommandLineParser& parser, DataSource source = DataSource::random);
  /// Throws UsageError on values that make no sense.
  Options read() const;

 private:
  std::string seed_ = "1";
  std::string work_ = "1";
  std::string load_;
  std::string json_;
  std::string progress_ = "auto";
};

/// --help's headings for what is the program's own.
inline constexpr const char* data_group = "Data";
inline constexpr const char* computing_group = "Computing";

/// What is timed: from rank 0's data to its result, or only what all ranks do.
enum class RunPart { whole, parallel };

/// Adds --part; `data` is what rank 0 deals out: "the keys".
void add_run_part(const OptionGroup& group, std::string& word, const std::string& data);

/// The value of --part; throws UsageError.
RunPart parse_run_part(const std::string& word);

/// As on the command line.
std::string name_of(RunPart part);

}  // namespace loadshare::spmd
