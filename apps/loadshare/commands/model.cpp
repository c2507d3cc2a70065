#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/communication_model/model.hpp"
#include "apps/loadshare/output.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "models/messages/fit.hpp"

namespace loadshare::tool {
namespace {

class Model final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.require_subcommand(1);
    describe_fit(*app.add_subcommand("fit", "Lay curves through measured times, and print or keep them"));
    describe_predict(*app.add_subcommand("predict", "Say what curves tell of other sizes"));
  }

  ExitCode run() override {
    if (fit_ == "help") {
      print(table_help("The fits:", communication::fits()) + "\n");
      return ExitCode::good;
    }
    if (path_.empty())
      throw UsageError("FILE is required", fmt::format("see loadshare model {} --help", action_name_));
    return action_();
  }

 private:
  void describe_fit(CLI::App& app) {
    app.add_option("FILE", path_, "a CSV file of measurements with a header");
    add_columns(app);
    app.add_option("--out", out_, "keep the model there, for `loadshare model predict`")
        ->type_name("MODEL.json");
    add_json(app);
    app.callback([this] {
      action_name_ = "fit";
      action_ = [this] { return tell_fit({path_, fit_, columns_, out_, json_}); };
    });
  }

  void describe_predict(CLI::App& app) {
    app.add_option("FILE", path_, "a model that `loadshare model fit` kept, or a CSV file of measurements");
    app.add_option("--at", at_, "the sizes, in the unit of the measurements")
        ->delimiter(',')
        ->type_name("N1,N2,...");
    add_columns(app);
    add_json(app);
    app.callback([this] {
      action_name_ = "predict";
      action_ = [this] { return tell_predictions({path_, fit_, columns_, sizes(), json_}); };
    });
  }

  void add_columns(CLI::App& app) {
    app.add_option(
           "--fit", fit_,
           table_help("how the curves are found (segmented); help prints this:", communication::fits()))
        ->type_name("FIT");
    app.add_option("--size", columns_.size, "the column of sizes (by its name: bytes, n_thousand_ints, ...)")
        ->type_name("COLUMN");
    app.add_option("--time", columns_.time,
                   "the column of times, whose name ends in its unit: seconds, time_ms")
        ->type_name("COLUMN");
    app.add_option("--by", columns_.groups,
                   "columns whose values tell groups apart, a curve each (all but sizes and times)")
        ->delimiter(',')
        ->type_name("COLUMN,...");
  }

  void add_json(CLI::App& app) {
    app.add_option("--json", json_, "write it as JSON; with - to stdout, and nothing else there")
        ->type_name("FILE|-");
  }

  std::vector<double> sizes() const {
    if (at_.empty())
      throw UsageError("--at is required", "it names the sizes", "write it as --at 40,60,1600");
    std::vector<double> sizes;
    for (const std::string& word : at_) {
      sizes.push_back(number("--at", word));
      if (sizes.back() < 0) throw UsageError(fmt::format("--at is {}", word), "sizes are not negative");
    }
    return sizes;
  }

  std::function<ExitCode()> action_;
  std::string action_name_;
  std::string path_;
  std::string fit_;
  ColumnWishes columns_;
  std::vector<std::string> at_;
  std::string out_;
  std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_model_command() {
  return std::make_unique<Model>();
}

}  // namespace loadshare::tool
