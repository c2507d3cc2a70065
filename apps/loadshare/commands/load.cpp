#include "apps/loadshare/load.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/common/whole_number.hpp"
#include "apps/loadshare/commands/commands.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/load/load_spec.hpp"
#include "runtime/timing/duration.hpp"

namespace loadshare::tool {
namespace {

class Load final : public Command {
 public:
  void describe(CLI::App& app) override {
    const auto add = [&](const char* name, std::string& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    add("--cpu", cpu_, "N", "the processor to be busy on")->required();
    add("--for", for_, "TIME", "how long in all: 30s; Ctrl-C ends it sooner")->required();
    add("--on", on_, "TIME", "a cycle begins with being on for so long: 1s, 250ms");
    add("--off", off_, "TIME", "and then off for so long");
    add("--phase", phase_, "TIME", "so far into a cycle it begins (0)");
    app.add_flag("--constant", constant_, "on all the time, instead of on and off");
    add("--trace", trace_, "FILE", "as the file says, a line `second share` a step");
    add("--share", share_, "SHARE", "of the processor while on (0.5); whoever else is there gets the rest");
    app.add_flag("--json", json_, "print one JSON object instead");
  }

  ExitCode run() override {
    constexpr Index most_cpus = 1 << 20;
    const std::string spec = spec_text();
    const int cpu = static_cast<int>(whole_number("--cpu", cpu_, 0, most_cpus));
    const LoadPlan plan = parse_load_spec(spec).plan_for(0);
    const double length_s = parse_duration_s("--for", for_);
    require_cpu(cpu);
    const double capacity = capacity_of_one(1);
    return be_load({plan, spec, {cpu, capacity}, length_s, json_ ? OutputForm::json : OutputForm::text});
  }

 private:
  /// What programs would be told with --load, so that there is one grammar and one set of errors.
  std::string spec_text() const {
    std::string text = constant_ ? ",constant" : "";
    const auto add = [&](const char* key, const std::string& value) {
      if (!value.empty()) text += fmt::format(",{}={}", key, value);
    };
    add("on", on_);
    add("off", off_);
    add("phase", phase_);
    add("trace", trace_);
    add("share", share_);
    return text.substr(std::min<std::size_t>(1, text.size()));
  }

  std::string cpu_;
  std::string for_;
  std::string on_;
  std::string off_;
  std::string phase_;
  std::string trace_;
  std::string share_;
  bool constant_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_load_command() {
  return std::make_unique<Load>();
}

}  // namespace loadshare::tool
