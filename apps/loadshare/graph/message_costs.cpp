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

void add_collectives(const Calibration& measured, KnownCosts& known) {
  const auto samples = collective_samples_of(measured);
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
  known.uncertainty = model->uncertainty();
  known.costs = std::move(model);
  known.description =
      fmt::format("as calibrated {} {}", is_one_host ? "on" : "between", fmt::join(known.hosts, ", "));
  if (request.collectives == "measured") add_collectives(measured, known);
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

std::vector<std::string> unmeasured_calls(const timing_graph::Program& program) {
  std::vector<std::string> notes;
  std::map<std::string, double> extrapolated;  // the largest bytes, by call
  for (const timing_graph::CollectiveCall& call : program.calls)
    if (call.time.is_extrapolated) {
      double& most = extrapolated[fmt::format("{} of {} ranks", call.name, call.members.size())];
      most = std::max(most, call.bytes);
    }
  for (const auto& [call, bytes] : extrapolated)
    notes.push_back(fmt::format("extrapolated: {} with {} bytes, which was measured at other sizes only",
                                call, grouped_text(static_cast<Index>(bytes))));
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
  const auto text = [](double bytes) { return grouped_text(static_cast<Index>(bytes)); };
  return fmt::format("extrapolated: messages of {}{} bytes (measured: {} to {})", text(least),
                     most > least ? " to " + text(most) : "", text(measured.least_bytes),
                     text(measured.most_bytes));
}

}  // namespace loadshare::tool
