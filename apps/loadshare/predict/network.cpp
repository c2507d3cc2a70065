#include "apps/loadshare/predict/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "models/communication/linear_costs.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using predictor::HostModel;

// Of 1,538 bytes that a full Ethernet frame takes on the wire, TCP carries 1,448.
constexpr double payload_share = 1448.0 / 1538;
constexpr double usual_latency_s = 100e-6;
constexpr const char* how_to_calibrate =
    "run `mpirun -q -np 2 loadshare calibrate --out pair.json` on two of the hosts";

bool knows_links(const std::vector<HostModel>& hosts) {
  return std::ranges::all_of(hosts, [](const HostModel& host) { return host.link_bytes_per_s > 0; });
}

bool has_messages(const predictor::FarmSetting& setting) {
  const auto& hosts = setting.hosts;
  return std::ranges::any_of(hosts, [&](const HostModel& host) { return host.name != hosts.front().name; });
}

bool is_of_any(const KnownCosts& costs, const std::vector<HostModel>& hosts) {
  return std::ranges::any_of(hosts, [&](const HostModel& host) {
    return std::ranges::find(costs.hosts, host.name) != costs.hosts.end();
  });
}

std::string unknown_hosts(const KnownCosts& costs, const std::vector<HostModel>& hosts) {
  std::set<std::string> names;
  for (const HostModel& host : hosts) names.insert(host.name);
  for (const std::string& known : costs.hosts) names.erase(known);
  if (costs.hosts.empty() || names.empty()) return "";
  return fmt::format("the calibration is of {}: messages of {} may cost something else",
                     fmt::join(costs.hosts, ", "), fmt::join(names, ", "));
}

void by_links(Question& question) {
  question.network_text =
      fmt::format("by the links' rates, and a latency of {:.0f} us", usual_latency_s * 1e6);
  question.network = [](const HostModel& master, const HostModel& worker) {
    const double port = payload_share * master.link_bytes_per_s;
    const double rate = std::min(port, payload_share * worker.link_bytes_per_s);
    return std::make_shared<communication::LinearCosts>(communication::LinearCosts::Parameters{
        .latency_s = usual_latency_s, .bandwidth_bytes_per_s = rate, .port_bytes_per_s = port});
  };
}

void as_known(const QuestionRequest& request, Question& question) {
  KnownCosts costs = message_costs(request.costs);
  if (std::string note = unknown_hosts(costs, question.setting.hosts); !note.empty()) {
    // Of two hosts it may stand for others beside them, on the same network.
    if (request.is_strict && !request.costs.calibration.empty() && !is_of_any(costs, question.setting.hosts))
      throw UsageError(request.costs.calibration + " does not fit the hosts", note, how_to_calibrate);
    question.notes.push_back(std::move(note));
  }
  question.network_text = costs.description;
  std::shared_ptr<const communication::MessageCosts> shared = std::move(costs.costs);
  question.network = [shared](const HostModel&, const HostModel&) { return shared; };
}

}  // namespace

void choose_network(const QuestionRequest& request, Question& question) {
  if (!request.costs.calibration.empty() || request.has_costs) return as_known(request, question);
  if (!has_messages(question.setting)) {
    question.network_text = "none: all ranks are on one host";
    return;
  }
  if (request.is_strict)
    throw UsageError("no calibration for these hosts", "--strict allows no default for what messages cost",
                     how_to_calibrate + std::string(", and give --calibration pair.json"));
  if (knows_links(question.setting.hosts)) {
    by_links(question);
  } else {
    as_known(request, question);
    question.network_text += " (a default)";
  }
  question.notes.push_back(fmt::format(
      "what messages cost was not measured: {}, and give --calibration pair.json", how_to_calibrate));
}

}  // namespace loadshare::tool
