#include "apps/loadshare/metrics/metrics.hpp"

#include <CLI/CLI.hpp>
#include <limits>

#include "apps/common/whole_number.hpp"
#include "apps/loadshare/commands/commands.hpp"
#include "apps/loadshare/metrics/numbers.hpp"

namespace loadshare::tool {
namespace {

class Metrics final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("FILE", files_,
                   "records of runs (what programs wrote with --json), a folder of a sweep, or profiles\n"
                   "(of one program those with equal command lines are put together)")
        ->required();
    const auto add = [&](const char* name, std::string& word, const char* type, const char* text) {
      app.add_option(name, word, text)->type_name(type);
    };
    add("--json", json_, "FILE|-", "write the figures as JSON; with - to stdout, and nothing else there");
    add("--plot", plot_, "FILE.svg|.png", "draw speedup and efficiency over the number of ranks");
    add("--t-absolute", absolute_, "S", "seconds of the best sequential program on the fastest machine");
    add("--t-real", real_, "S", "seconds of the best sequential program on one of these processors");
    add("--t-relative", relative_, "S",
        "seconds of this program on one of them (default: the runs on 1 rank)");
    add("--speeds", speeds_, "S1,S2,...",
        "of the ranks' processors, in any unit (default: the hosts' quotas, where they\n"
        "differ, else as measured)");
    add("--reference-rank", reference_rank_, "RANK",
        "whose processor is that of the sequential run (default: that run's own, else the\n"
        "first rank's)");
    add("--keep", keep_, "E", "efficiency to keep, as 0.8: which problem size does, by isoefficiency");
  }

  ExitCode run() override {
    MetricsRequest request{files_, {}, json_, plot_};
    StudyRequest& study = request.study;
    if (!absolute_.empty()) study.sequential.absolute_s = positive_number("--t-absolute", absolute_);
    if (!real_.empty()) study.sequential.real_s = positive_number("--t-real", real_);
    if (!relative_.empty()) study.sequential.relative_s = positive_number("--t-relative", relative_);
    if (!speeds_.empty()) study.speeds.given = positive_numbers("--speeds", speeds_);
    if (!keep_.empty()) study.kept_efficiency = positive_number("--keep", keep_);
    if (!reference_rank_.empty())
      study.speeds.reference_rank = static_cast<int>(
          whole_number("--reference-rank", reference_rank_, 0, std::numeric_limits<int>::max()));
    return tell_metrics(request);
  }

 private:
  std::vector<std::string> files_;
  std::string json_;
  std::string plot_;
  std::string absolute_;
  std::string real_;
  std::string relative_;
  std::string speeds_;
  std::string reference_rank_;
  std::string keep_;
};

}  // namespace

std::unique_ptr<Command> make_metrics_command() {
  return std::make_unique<Metrics>();
}

}  // namespace loadshare::tool
