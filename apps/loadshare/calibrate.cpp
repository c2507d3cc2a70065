#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "apps/loadshare/calibration_run.hpp"
#include "apps/loadshare/command.hpp"
#include "apps/loadshare/mpi/collective_group.hpp"
#include "base/error.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare::tool {
namespace {

constexpr Index most_bytes = 1'000'000'000;  // twice as many, which buffered sends take, MPI still counts
constexpr Index most_kernel_size = 16384;
constexpr double longest_budget_s = 3600;
constexpr Index most_partners = 1'000'000;

Index parse_message_bytes(const char* option, const std::string& text) {
  const std::uint64_t bytes = byte_count(option, text);
  if (bytes > static_cast<std::uint64_t>(most_bytes))
    throw UsageError(fmt::format("{} is {}", option, text), fmt::format("at most {}", most_bytes));
  return static_cast<Index>(bytes);
}

double parse_budget_s(const char* option, const std::string& text) {
  const double budget_s = positive_number(option, text);
  if (budget_s > longest_budget_s)
    throw UsageError(fmt::format("{} is {}", option, text), fmt::format("at most {}", longest_budget_s));
  return budget_s;
}

std::string known_call(const std::string& name) {
  const std::vector<std::string> names = collective_call_names();
  if (std::ranges::find(names, name) != names.end()) return name;
  throw UsageError(fmt::format("--collectives has '{}'", name),
                   fmt::format("valid: {}, or none by itself", list_names(names)), did_you_mean(name, names));
}

std::vector<communication::SendMode> parse_modes(const std::vector<std::string>& names) {
  std::vector<communication::SendMode> modes;
  for (const std::string& name : names) modes.push_back(communication::parse_send_mode("--modes", name));
  return modes;
}

class Calibrate final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("--out", out_, "the file for the calibration")->type_name("FILE")->required();
    app.add_flag("--append", appends_,
                 "add one more launch to the calibration in FILE, which must be of the same hosts and MPI");
    const auto add = [&](const char* name, std::string& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type)->capture_default_str();
    };
    const CLI::Option* least =
        add("--min-bytes", min_bytes_, "BYTES", "size of the smallest messages and collective calls");
    const CLI::Option* most =
        add("--max-bytes", max_bytes_, "BYTES", "size of the largest, as 512KiB or 4MiB");
    app.add_option("--sizes", sizes_, "measure only these sizes")->type_name("BYTES,...")->delimiter(',');
    add("--seconds", seconds_, "S", "longest time for the messages of a pair of ranks");
    add("--repetitions", repetitions_, "N",
        "times that each message and chunk is measured, or more; fewer if time runs out");
    app.add_option("--modes", modes_, "send modes to measure: standard, buffered, synchronous, ready (all)")
        ->type_name("NAME,...")
        ->delimiter(',');
    add("--partners", partners_, "N|all",
        "ranks that rank 0 sends to: all, or the first N if the hosts are alike");
    app.add_option("--collectives", collectives_,
                   fmt::format("collective calls to measure, or none (all, with three ranks or more):\n"
                               "{}",
                               fmt::join(collective_call_names(), ", ")))
        ->type_name("NAME,...")
        ->delimiter(',');
    add("--collective-seconds", collective_seconds_, "S",
        "longest time for the collective calls of each number of ranks");
    add("--seed", seed_, "N", "random seed of the sizes and of their order");
    add("--kernel-size", kernel_size_, "N|none",
        "size of the matrix whose chunks of columns are timed, or none");
    add("--progress", progress_, "HOW", "how progress is shown: auto, bar, lines or none");
    app.callback([this, &app, least, most] {
      terms_ = terms_of(app);
      has_range_ = least->count() + most->count() > 0;
    });
    app.footer(
        "Run it under mpirun. It measures messages between rank 0 and every other rank in turn,\n"
        "then collective calls of 2, 4, 8 ... and all ranks:\n"
        "  mpirun -q -np 2 loadshare calibrate --out pair.json");
  }

  ExitCode run() override {
    const CalibrateOptions asked = options();
    if (detect_launch().is_mpi) require_agreement(terms_);
    calibrate(asked);
    return ExitCode::good;
  }

 private:
  CalibrateOptions options() const {
    CalibrateOptions options;
    options.out = out_;
    options.old_file = appends_ ? OldFile::continued : OldFile::replaced;
    options.sampling = sampling();
    if (partners_ != "all") options.partners = whole_number("--partners", partners_, 1, most_partners);
    options.collectives = collectives(options.sampling);
    options.has_collectives = has_collectives();
    options.kernel_size.reset();
    if (kernel_size_ != "none")
      options.kernel_size = whole_number("--kernel-size", kernel_size_, 1, most_kernel_size);
    options.progress = parse_progress_mode(progress_);
    return options;
  }

  CollectiveOptions collectives(const SamplingOptions& sampling) const {
    CollectiveOptions options;
    if (!has_collectives()) return options;
    for (const std::string& name : collectives_) options.calls.push_back(known_call(name));
    options.min_bytes = sampling.min_bytes;
    options.max_bytes = sampling.most_size();
    options.budget_s = parse_budget_s("--collective-seconds", collective_seconds_);
    options.repetitions = sampling.repetitions;
    options.seed = sampling.seed;
    return options;
  }

  bool has_collectives() const { return collectives_ != std::vector<std::string>{"none"}; }

  SamplingOptions sampling() const {
    SamplingOptions sampling;
    if (sizes_.empty())
      set_range(sampling);
    else
      sampling.sizes = sizes();
    sampling.budget_s = parse_budget_s("--seconds", seconds_);
    sampling.repetitions = whole_number("--repetitions", repetitions_, 30, 100'000);
    if (!modes_.empty()) sampling.modes = parse_modes(modes_);
    sampling.seed = whole_number("--seed", seed_, 0);
    return sampling;
  }

  void set_range(SamplingOptions& sampling) const {
    sampling.min_bytes = parse_message_bytes("--min-bytes", min_bytes_);
    sampling.max_bytes = parse_message_bytes("--max-bytes", max_bytes_);
    if (sampling.max_bytes <= sampling.min_bytes)
      throw UsageError(fmt::format("--max-bytes is {}", max_bytes_),
                       fmt::format("it must be more than --min-bytes {}", min_bytes_));
  }

  std::vector<Index> sizes() const {
    if (has_range_)
      throw UsageError("--sizes cannot be combined with --min-bytes or --max-bytes",
                       "it lists the only sizes that are measured", "leave out one of them");
    std::set<Index> sizes;
    for (const std::string& size : sizes_) sizes.insert(parse_message_bytes("--sizes", size));
    return {sizes.begin(), sizes.end()};
  }

  Terms terms_;
  std::string out_;
  bool appends_ = false;
  std::string min_bytes_ = "0";
  std::string max_bytes_ = "4MiB";
  bool has_range_ = false;  ///< whether either was given
  std::vector<std::string> sizes_;
  std::string seconds_ = "40";
  std::string repetitions_ = "30";
  std::vector<std::string> modes_;
  std::string partners_ = "all";
  std::vector<std::string> collectives_;
  std::string collective_seconds_ = "30";
  std::string seed_ = "1";
  std::string kernel_size_ = "720";
  std::string progress_ = "auto";
};

}  // namespace

std::unique_ptr<Command> make_calibrate_command() {
  return std::make_unique<Calibrate>();
}

}  // namespace loadshare::tool
