#include "apps/loadshare/calibration.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/loadshare/calibration_file.hpp"
#include "apps/loadshare/calibration_summary.hpp"
#include "apps/loadshare/calibration_text.hpp"
#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "base/statistics.hpp"
#include "models/messages/calibration.hpp"
#include "models/messages/fit.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;
using calibration::Pair;
using communication::Side;
using nlohmann::ordered_json;

/// The sizes that a fit was made from, of one kind.
std::set<Index> sizes_of(const Calibration& fitted, const Pair& pair, const KindSummary& kind) {
  std::set<Index> sizes;
  for (const calibration::MessageSeries& series : fitted.messages)
    if (series.sender == pair.sender && series.receiver == pair.receiver && series.mode == kind.mode &&
        series.posted == kind.posted)
      sizes.insert(series.bytes);
  return sizes;
}

void check_kind(const KindSummary& kind, const std::set<Index>& known,
                const communication::MessageModel& model, const CheckRequest& request,
                std::vector<CheckedTime>& times) {
  for (const KindSummary::Size& size : kind.sizes) {
    if (size.bytes < request.least_bytes || size.bytes > request.most_bytes || known.contains(size.bytes))
      continue;
    const auto bytes = static_cast<double>(size.bytes);
    times.push_back({kind.mode, kind.posted, Side::sender, size.bytes, size.sender.median_s,
                     model.sender_s(kind.mode, kind.posted, bytes)});
    times.push_back({kind.mode, kind.posted, Side::receiver, size.bytes, size.receiver.median_s,
                     model.receiver_s(kind.mode, kind.posted, bytes)});
  }
}

/// Absolute relative errors.
class Errors {
 public:
  void add(double error) { errors_.push_back(std::abs(error)); }

  std::vector<std::string> cells() const {
    std::vector<std::string> cells{fmt::format("{}", errors_.size())};
    for (const double share : {0.5, 0.9, 1.0})
      cells.push_back(fmt::format("{:.1f} %", 100 * quantile_of(errors_, share)));
    return cells;
  }

 private:
  std::vector<double> errors_;
};

std::string check_json(const std::vector<CheckedTime>& times, const std::vector<CheckedCall>& calls) {
  ordered_json all = ordered_json::array(), all_calls = ordered_json::array();
  for (const CheckedCall& call : calls)
    all_calls.push_back({{"call", call.call},
                         {"ranks", call.ranks},
                         {"who", call.who},
                         {"after", call.after},
                         {"bytes", call.bytes},
                         {"measured_s", call.measured_s},
                         {"predicted_s", call.predicted_s}});
  for (const CheckedTime& time : times)
    all.push_back({{"mode", name_of(time.mode)},
                   {"posted", name_of(time.posted)},
                   {"side", name_of(time.side)},
                   {"bytes", time.bytes},
                   {"measured_s", time.measured_s},
                   {"predicted_s", time.predicted_s}});
  return ordered_json{{"schema", 1}, {"times", all}, {"calls", all_calls}}.dump() + "\n";
}

communication::MessageModel fitted_model(const Calibration& fitted, const Pair& pair,
                                         const CheckRequest& request) {
  try {
    return message_model(fitted, pair, request.fit);
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("{}: rank {} to rank {}: {}", request.fitted, pair.sender, pair.receiver, error.what()));
  }
}

/// What the fit says nothing of is not checked.
std::vector<std::string> unknown_kinds(const Calibration& fitted, const Calibration& measured) {
  std::vector<std::string> notes;
  for (const Pair& pair : pairs_of(measured)) {
    const std::vector<KindSummary> known = kinds_of(fitted, pair);
    for (const KindSummary& kind : kinds_of(measured, pair))
      if (std::ranges::none_of(known, [&](const KindSummary& one) {
            return one.mode == kind.mode && one.posted == kind.posted;
          }))
        notes.push_back(
            fmt::format("not checked: rank {} to rank {}, {} sends, receive posted {}: the fitted "
                        "calibration has no such messages",
                        pair.sender, pair.receiver, name_of(kind.mode), name_of(kind.posted)));
  }
  return notes;
}

class CalibrationCommand final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.require_subcommand(1);
    describe_show(*app.add_subcommand("show", "Print a calibration, or draw it"));
    describe_check(
        *app.add_subcommand("check", "Check how well one calibration predicts the times of another launch"));
  }

  ExitCode run() override {
    action_();
    return ExitCode::good;
  }

 private:
  void describe_show(CLI::App& show) {
    show.add_option("FILE", request_.file, "a file that loadshare calibrate wrote")->required();
    show.add_option("--fit", request_.fit,
                    table_help("how times are fitted over sizes:", communication::fits()))
        ->type_name("NAME")
        ->capture_default_str();
    show.add_option("--plot", request_.outputs.plot, "draw times over sizes")->type_name("FILE.svg|.png");
    show.add_option("--json", request_.outputs.json,
                    "write medians and ranges as JSON; - writes only the JSON, to stdout")
        ->type_name("FILE|-");
    show.callback([this] { action_ = [this] { show_calibration(request_); }; });
  }

  void describe_check(CLI::App& check) {
    check.add_option("FITTED", check_.fitted, "the calibration that predicts")->required();
    check
        .add_option("MEASURED", check_.measured,
                    "a calibration of the same ranks, by another launch with other sizes")
        ->required();
    check
        .add_option("--fit", check_.fit,
                    table_help("how times are fitted over sizes:", communication::fits()))
        ->type_name("NAME")
        ->capture_default_str();
    check.add_option("--min-bytes", least_, "smallest size that is checked")
        ->type_name("BYTES")
        ->capture_default_str();
    check.add_option("--max-bytes", most_, "largest size that is checked")
        ->type_name("BYTES")
        ->capture_default_str();
    check.add_option("--json", check_.json, "write every time as JSON; - writes only the JSON, to stdout")
        ->type_name("FILE|-");
    check.callback([this] {
      action_ = [this] {
        check_.least_bytes = whole_number("--min-bytes", least_, 0);
        check_.most_bytes = whole_number("--max-bytes", most_, check_.least_bytes);
        check_calibration(check_);
      };
    });
  }

  std::function<void()> action_;
  ShowRequest request_;
  CheckRequest check_;
  std::string least_ = "64";
  std::string most_ = "4194304";
};

}  // namespace

std::vector<CheckedTime> checked_times(const Calibration& fitted, const Calibration& measured,
                                       const CheckRequest& request) {
  std::vector<CheckedTime> times;
  const std::vector<Pair> known = pairs_of(fitted);
  for (const Pair& pair : pairs_of(measured)) {
    if (std::ranges::find(known, pair) == known.end()) continue;
    const communication::MessageModel model = fitted_model(fitted, pair, request);
    for (const KindSummary& kind : kinds_of(measured, pair))
      if (model.has(kind.mode, Side::sender, kind.posted))
        check_kind(kind, sizes_of(fitted, pair, kind), model, request, times);
  }
  if (times.empty())
    throw UsageError(fmt::format("{} cannot be used to check {}", request.measured, request.fitted),
                     fmt::format("it has no new sizes from {} to {} bytes between the same ranks",
                                 request.least_bytes, request.most_bytes),
                     "calibrate again with another --seed");
  return times;
}

std::string check_text(const std::vector<CheckedTime>& times, const std::vector<CheckedCall>& calls) {
  using Kinds = std::map<std::vector<std::string>, Errors>;
  Kinds kinds, calls_kinds;
  Errors all, all_calls;
  for (const CheckedTime& time : times) {
    kinds[{name_of(time.mode), name_of(time.posted), name_of(time.side)}].add(time.error());
    all.add(time.error());
  }
  for (const CheckedCall& call : calls) {
    const std::string who = call.who.starts_with("rank") ? "others" : call.who;
    calls_kinds[{call.call, fmt::format("{} ranks", call.ranks),
                 who + (call.after == "awaited" ? ", waiting" : "")}]
        .add(call.error());
    all_calls.add(call.error());
  }
  std::vector<std::vector<std::string>> rows{
      {"mode", "posted", "side", "sizes", "median error", "ninth decile", "worst"}};
  const auto add = [&rows](std::vector<std::string> names, const Errors& errors) {
    std::ranges::copy(errors.cells(), std::back_inserter(names));
    rows.push_back(std::move(names));
  };
  for (const auto& [names, errors] : kinds) add(names, errors);
  if (!times.empty()) add({"all", "", ""}, all);
  for (const auto& [names, errors] : calls_kinds) add(names, errors);
  if (!calls.empty()) add({"all calls", "", ""}, all_calls);
  return table_text(rows, 3);
}

std::vector<std::string> check_notes(const Calibration& fitted, const Calibration& measured) {
  std::vector<std::string> notes;
  const calibration::Launch& first = fitted.launches.front();
  if (const auto difference = host_difference(first, measured.launches.front()); !difference.empty())
    notes.push_back("the calibrations are of different hosts: " + difference);
  std::set<std::string> ways;
  for (const std::vector<calibration::Launch>* launches : {&fitted.launches, &measured.launches})
    for (const calibration::Launch& launch : *launches) ways.insert(ways_difference(first, launch));
  ways.erase("");
  for (const std::string& difference : ways) notes.push_back("MPI was configured differently: " + difference);
  std::ranges::copy(unknown_kinds(fitted, measured), std::back_inserter(notes));
  return notes;
}

void check_calibration(const CheckRequest& request) {
  loadshare::require_outputs({{"FITTED", request.fitted}, {"MEASURED", request.measured}},
                             {{"--json", request.json, "the JSON"}});
  communication::find_fit(request.fit);  // before files of megabytes are read
  const Calibration fitted = read_calibration(request.fitted);
  const Calibration measured = read_calibration(request.measured);
  const std::vector<CheckedTime> times = checked_times(fitted, measured, request);
  const std::vector<CheckedCall> calls =
      checked_calls(fitted, measured, request.least_bytes, request.most_bytes);
  answer(request.json, "the check", check_text(times, calls) + notes_text(check_notes(fitted, measured)),
         check_json(times, calls));
}

std::unique_ptr<Command> make_calibration_command() {
  return std::make_unique<CalibrationCommand>();
}

}  // namespace loadshare::tool
