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
                   fmt::format("known: {}, or none alone", list_names(names)), did_you_mean(name, names));
}

std::vector<communication::SendMode> parse_modes(const std::vector<std::string>& names) {
  std::vector<communication::SendMode> modes;
  for (const std::string& name : names) modes.push_back(communication::parse_send_mode("--modes", name));
  return modes;
}

class Calibrate final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("--out", out_, "the calibration")->type_name("FILE")->required();
    app.add_flag("--append", appends_,
                 "to the calibration in FILE, of the same hosts and MPI, as one more launch");
    const auto add = [&](const char* name, std::string& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type)->capture_default_str();
    };
    const CLI::Option* least = add("--min-bytes", min_bytes_, "BYTES", "of the smallest messages and calls");
    const CLI::Option* most = add("--max-bytes", max_bytes_, "BYTES", "of the largest: 512KiB, 4MiB");
    app.add_option("--sizes", sizes_, "in bytes: these alone")->type_name("BYTES,...")->delimiter(',');
    add("--seconds", seconds_, "S", "for the messages of a pair, at most");
    add("--repetitions", repetitions_, "N", "of each message and chunk, at least, where the time is enough");
    app.add_option("--modes", modes_, "standard, buffered, synchronous, ready (all)")
        ->type_name("NAME,...")
        ->delimiter(',');
    add("--partners", partners_, "N|all", "that rank 0 sends to: the first N, where all are alike");
    app.add_option("--collectives", collectives_,
                   fmt::format("calls of several ranks at once, or none (all, of three ranks or more):\n{}",
                               fmt::join(collective_call_names(), ", ")))
        ->type_name("NAME,...")
        ->delimiter(',');
    add("--collective-seconds", collective_seconds_, "S", "for those of each number of ranks, at most");
    add("--seed", seed_, "N", "of the sizes and the order");
    add("--kernel-size", kernel_size_, "N|none", "of the matrix that chunks of columns are computed for");
    add("--progress", progress_, "HOW", "auto, bar, lines or none");
    app.callback([this, &app, least, most] {
      terms_ = terms_of(app);
      has_range_ = least->count() + most->count() > 0;
    });
    app.footer(
        "Under mpirun, rank 0 with every other rank in turn, and then 2, 4, 8 ... and all of them together:\n"
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
      throw UsageError("--sizes does not go with --min-bytes or --max-bytes",
                       "it says which sizes are measured, these alone", "leave out one of them");
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
