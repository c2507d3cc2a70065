#include "apps/loadshare/calibration/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/common/own_files.hpp"
#include "apps/common/standard_output.hpp"
#include "apps/loadshare/calibration/file.hpp"
#include "apps/loadshare/calibration/pair_fit.hpp"
#include "apps/loadshare/calibration/summary.hpp"
#include "apps/loadshare/metrics/wording.hpp"
#include "apps/loadshare/output.hpp"
#include "models/communication/fit.hpp"
#include "runtime/timing/output_path.hpp"
#include "schedulers/error.hpp"

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

/// Absolute relative errors, in order.
class Errors {
 public:
  void add(const CheckedTime& time) { sorted_.insert(std::abs(time.error())); }

  std::vector<std::string> cells() const {
    std::vector<std::string> cells{fmt::format("{}", sorted_.size())};
    for (const double share : {0.5, 0.9, 1.0})
      cells.push_back(fmt::format("{:.1f} %", 100 * quantile(share)));
    return cells;
  }

 private:
  double quantile(double share) const {
    const auto place = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted_.size()))) - 1;
    return *std::next(sorted_.begin(), static_cast<std::ptrdiff_t>(place));
  }

  std::multiset<double> sorted_;
};

std::string check_json(const std::vector<CheckedTime>& times) {
  ordered_json all = ordered_json::array();
  for (const CheckedTime& time : times)
    all.push_back({{"mode", name_of(time.mode)},
                   {"posted", name_of(time.posted)},
                   {"side", name_of(time.side)},
                   {"bytes", time.bytes},
                   {"measured_s", time.measured_s},
                   {"foretold_s", time.foretold_s}});
  return ordered_json{{"schema", 1}, {"times", all}}.dump() + "\n";
}

void require_outputs(const CheckRequest& request) {
  if (request.json.empty() || request.json == "-") return;
  require_own_files({{"FITTED", request.fitted}, {"MEASURED", request.measured}}, {{"--json", request.json}});
  require_writable(request.json, "the JSON");
}

std::string hosts_note(const Calibration& fitted, const Calibration& measured) {
  const std::string difference = host_difference(fitted.launches.front(), measured.launches.front());
  return difference.empty() ? "" : notes_text({"other hosts: " + difference});
}

}  // namespace

std::vector<CheckedTime> checked_times(const Calibration& fitted, const Calibration& measured,
                                       const CheckRequest& request) {
  std::vector<CheckedTime> times;
  const std::vector<Pair> known = pairs_of(fitted);
  for (const Pair& pair : pairs_of(measured)) {
    if (std::ranges::find(known, pair) == known.end()) continue;
    const communication::MessageModel model = message_model(fitted, pair, request.fit);
    for (const KindSummary& kind : kinds_of(measured, pair))
      if (model.has(kind.mode, Side::sender, kind.posted))
        check_kind(kind, sizes_of(fitted, pair, kind), model, request, times);
  }
  if (times.empty())
    throw UsageError(fmt::format("{} has nothing to check {} by", request.measured, request.fitted),
                     fmt::format("no size from {} to {} bytes of the same ranks is new", request.least_bytes,
                                 request.most_bytes),
                     "calibrate once more with another --seed");
  return times;
}

std::string check_text(const std::vector<CheckedTime>& times) {
  std::map<std::vector<std::string>, Errors> kinds;
  Errors all;
  for (const CheckedTime& time : times) {
    kinds[{name_of(time.mode), name_of(time.posted), name_of(time.side)}].add(time);
    all.add(time);
  }
  std::vector<std::vector<std::string>> rows{
      {"mode", "posted", "side", "sizes", "median error", "ninth decile", "worst"}};
  const auto add = [&rows](std::vector<std::string> names, const Errors& errors) {
    std::ranges::copy(errors.cells(), std::back_inserter(names));
    rows.push_back(std::move(names));
  };
  for (const auto& [names, errors] : kinds) add(names, errors);
  add({"all", "", ""}, all);
  return table_text(rows, 3);
}

void check_calibration(const CheckRequest& request) {
  require_outputs(request);
  communication::find_fit(request.fit);  // before files of megabytes are read
  const Calibration fitted = read_calibration(request.fitted);
  const Calibration measured = read_calibration(request.measured);
  const std::vector<CheckedTime> times = checked_times(fitted, measured, request);
  show(request.json == "-" ? stderr : stdout, "the check", check_text(times) + hosts_note(fitted, measured));
  if (!request.json.empty()) write_json(request.json, check_json(times));
}

}  // namespace loadshare::tool
