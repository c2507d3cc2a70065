#include "apps/loadshare/graph/message_costs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "apps/loadshare/calibration/file.hpp"
#include "apps/loadshare/graph/costs_option.hpp"
#include "models/calibration/calibration.hpp"
#include "models/communication/message_model.hpp"
#include "runtime/timing/wording.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;
using calibration::Pair;

std::vector<Pair> pairs_between_hosts(const Calibration& measured) {
  std::vector<Pair> pairs = calibration::pairs_of(measured);
  std::erase_if(pairs, [&](const Pair& pair) { return share_host(measured, pair); });
  return pairs;
}

std::vector<std::string> hosts_of(const Calibration& measured) {
  std::set<std::string> hosts;
  for (const calibration::Launch& launch : measured.launches)
    for (const calibration::RankPlace& rank : launch.ranks) hosts.insert(rank.host);
  return {hosts.begin(), hosts.end()};
}

std::string extrapolation_note(const std::string& what, const communication::SizeRange& asked,
                               const communication::SizeRange& measured) {
  const auto text = [](double bytes) { return grouped_text(static_cast<Index>(bytes)); };
  return fmt::format("extrapolated: {} {}{} bytes (measured: {} to {})", what, text(asked.least_bytes),
                     asked.most_bytes > asked.least_bytes ? " to " + text(asked.most_bytes) : "",
                     text(measured.least_bytes), text(measured.most_bytes));
}

void add_collectives(const Calibration& measured, calibration::Spread spread, KnownCosts& known) {
  const auto samples = collective_samples_of(measured, spread);
  if (samples.empty()) return;
  known.collectives = std::make_unique<communication::CollectiveModel>(samples);
  std::set<int> ranks;
  for (const communication::CollectiveSample& sample : samples) ranks.insert(sample.members);
  known.description += fmt::format(", collective calls as measured among {} ranks", fmt::join(ranks, ", "));
}

KnownCosts calibrated(const CostsRequest& request) {
  const Calibration measured = read_calibration(request.calibration);
  std::vector<Pair> pairs = pairs_between_hosts(measured);
  const bool is_one_host = pairs.empty();
  if (is_one_host) pairs = calibration::pairs_of(measured);
  std::vector<communication::MessageSample> samples;
  for (const Pair& pair : pairs) {
    const auto of_pair = samples_of(measured, pair);
    samples.insert(samples.end(), of_pair.begin(), of_pair.end());
  }
  if (samples.empty())
    throw UsageError(fmt::format("{} has no messages", request.calibration),
                     "only what was measured can be predicted", "calibrate on two ranks or more");
  using communication::PairPlace;
  KnownCosts known;
  known.hosts = hosts_of(measured);
  auto model = std::make_unique<communication::MessageModel>(
      samples, request.fit, is_one_host ? PairPlace::one_host : PairPlace::two_hosts);
  known.measured = model->measured_bytes();
  known.uncertainty = model->deviation();
  known.costs = std::move(model);
  known.description =
      fmt::format("as calibrated {} {}", is_one_host ? "on" : "between", fmt::join(known.hosts, ", "));
  using calibration::Spread;
  if (request.collectives == "measured")
    add_collectives(measured, is_one_host ? Spread::one_host : Spread::a_host_each, known);
  return known;
}

}  // namespace

KnownCosts message_costs(const CostsRequest& request) {
  if (!request.calibration.empty()) return calibrated(request);
  KnownCosts known;
  known.costs = std::make_unique<communication::LinearCosts>(parse_costs(request.costs));
  known.description = request.costs;
  return known;
}

std::string other_hosts(const KnownCosts& costs, const std::vector<SourceRun>& runs) {
  std::set<std::string> strange_hosts;
  std::vector<std::string> strange_runs;
  for (const SourceRun& source : runs) {
    std::set<std::string> hosts(source.hosts.begin(), source.hosts.end());
    for (const std::string& known : costs.hosts) hosts.erase(known);
    if (!hosts.empty()) strange_runs.push_back(source.run.name);
    strange_hosts.merge(hosts);
  }
  if (costs.hosts.empty() || strange_runs.empty()) return "";
  return fmt::format("{} ran on {}, the calibration is of {}: messages may cost something else there",
                     fmt::join(strange_runs, ", "), fmt::join(strange_hosts, ", "),
                     fmt::join(costs.hosts, ", "));
}

std::vector<std::string> notes_on_calls(const KnownCosts& costs, const timing_graph::Program& program) {
  std::vector<std::string> notes;
  if (!costs.collectives) return notes;
  std::map<std::pair<std::string, int>, communication::SizeRange> extrapolated;
  for (const timing_graph::CollectiveCall& call : program.calls) {
    if (!call.time.is_extrapolated) continue;
    auto [range, is_new] = extrapolated.try_emplace({call.name, call.members.size()}, call.bytes, call.bytes);
    range->second.least_bytes = std::min(range->second.least_bytes, call.bytes);
    range->second.most_bytes = std::max(range->second.most_bytes, call.bytes);
  }
  for (const auto& [call, range] : extrapolated)
    notes.push_back(extrapolation_note(fmt::format("{} of {} ranks with", call.first, call.second), range,
                                       *costs.collectives->measured_bytes(call.first, call.second)));
  std::vector<std::string> others;
  for (const timing_graph::CallAsMessages& call : program.calls_as_messages)
    others.push_back(fmt::format("{} of {}", call.name, call.members));
  if (!others.empty())
    notes.push_back(
        fmt::format("as the messages that Open MPI sends, as the calibration has no such calls: {} ranks",
                    fmt::join(others, ", ")));
  return notes;
}

std::string unmeasured_sizes(const KnownCosts& costs,
                             const std::vector<timing_graph::MatchedMessage>& messages) {
  if (!costs.measured) return "";
  const communication::SizeRange measured = *costs.measured;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const timing_graph::MatchedMessage& message : messages) {
    if (message.bytes == 0 || (message.bytes >= measured.least_bytes && message.bytes <= measured.most_bytes))
      continue;
    least = std::min(least, message.bytes);
    most = std::max(most, message.bytes);
  }
  if (most == 0) return "";
  return extrapolation_note("messages of", {least, most}, measured);
}

}  // namespace loadshare::tool
