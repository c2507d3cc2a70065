#include "apps/loadshare/costs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "apps/loadshare/calibration_file.hpp"
#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "models/program/reconstruction/traces.hpp"
#include "profiler/profile.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;
using calibration::Pair;

constexpr std::array<std::pair<std::string_view, double>, 7> unit_sizes{
    {{"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}};

std::optional<double> parse_size(std::string_view text) {
  for (const auto& [unit, bytes] : unit_sizes) {
    if (!text.ends_with(unit)) continue;
    text.remove_suffix(unit.size());
    if (text.ends_with(' ')) text.remove_suffix(1);
    const auto number = parse_number(text);
    if (!number || *number < 0 || !std::isfinite(*number * bytes)) return std::nullopt;
    return *number * bytes;
  }
  return std::nullopt;
}

std::optional<double> parse_bandwidth(std::string_view text) {
  if (!text.ends_with("/s")) return std::nullopt;
  const auto bytes = parse_size(text.substr(0, text.size() - 2));
  return bytes && *bytes > 0 ? bytes : std::nullopt;
}

double take(const Assignment& given, std::optional<double> value, std::string_view like) {
  if (value) return *value;
  throw UsageError(fmt::format("--costs {} is '{}'", given.name, given.value), "",
                   fmt::format("write it like {}", like));
}

/// `latency=50us,bandwidth=12.5MB/s,eager=64KiB`; what is left out has its default. Throws UsageError.
communication::LinearCosts::Parameters parse_costs(const std::string& text) {
  static const std::array<std::string, 3> names{"latency", "bandwidth", "eager"};
  communication::LinearCosts::Parameters costs;
  for (const Assignment& given : parse_assignments("--costs", text)) {
    if (given.name == names[0])
      costs.latency_s = take(given, parse_duration_s(given.value), "latency=50us");
    else if (given.name == names[1])
      costs.bandwidth_bytes_per_s = take(given, parse_bandwidth(given.value), "bandwidth=12.5MB/s");
    else if (given.name == names[2])
      costs.eager_bytes = take(given, parse_size(given.value), "eager=64KiB");
    else
      throw unknown_name("part of --costs", given.name, names);
  }
  return costs;
}

/// The word without its file, and the file.
struct Parts {
  std::string assignments;
  std::string file;
};

Parts parts_of(const std::string& word) {
  const std::size_t colon = word.find(':');
  const bool has_assignments = colon != std::string::npos && word.find('=') < colon;
  return has_assignments ? Parts{word.substr(0, colon), word.substr(colon + 1)} : Parts{"", word};
}

scaling::Setting setting_of(const std::string& assignments, std::size_t ranks) {
  scaling::Setting setting;
  for (const Assignment& given : parse_assignments("--from", assignments)) {
    if (given.name == "p")
      throw UsageError(fmt::format("--from has 'p={}'", given.value),
                       "p is the number of a profile's ranks, which it knows itself", "leave it out");
    setting[given.name] = number("--from", given.value);
    if (setting[given.name] <= 0)
      throw UsageError(fmt::format("--from has '{}={}'", given.name, given.value),
                       "laws are of positive sizes");
  }
  setting["p"] = static_cast<double>(ranks);
  return setting;
}

/// The first word of a command, without its folders.
std::string name_of(const std::string& program) {
  return std::filesystem::path(program.substr(0, program.find(' '))).filename().string();
}

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
  const auto rooted = rooted_samples_of(measured, spread);
  if (samples.empty() && rooted.empty()) return;
  known.collectives = std::make_unique<communication::CollectiveModel>(samples, rooted);
  std::set<int> ranks;
  for (const communication::CollectiveSample& sample : samples) ranks.insert(sample.members);
  for (const communication::RootedSample& sample : rooted)
    ranks.insert(static_cast<int>(sample.begun_s.size()));
  known.description += fmt::format(", collective calls as measured among {} ranks", fmt::join(ranks, ", "));
}

std::set<std::string> hosts_of(const Calibration& measured, const Pair& pair) {
  std::set<std::string> hosts;
  for (const calibration::RankPlace& rank : measured.launches.front().ranks)
    if (rank.rank == pair.sender || rank.rank == pair.receiver) hosts.insert(rank.host);
  return hosts;
}

struct Samples {
  std::vector<communication::MessageSample> messages;
  std::vector<communication::Sample> gaps;

  void add(const Samples& more) {
    messages.insert(messages.end(), more.messages.begin(), more.messages.end());
    gaps.insert(gaps.end(), more.gaps.begin(), more.gaps.end());
  }
};

/// By their hosts, what was measured of pairs of ranks.
std::map<std::set<std::string>, Samples> samples_by_hosts(const Calibration& measured,
                                                          const std::vector<Pair>& pairs) {
  std::map<std::set<std::string>, Samples> samples;
  for (const Pair& pair : pairs)
    samples[hosts_of(measured, pair)].add({samples_of(measured, pair), gaps_of(measured, pair)});
  return samples;
}

KnownCosts calibrated(const CostsRequest& request) {
  const Calibration measured = read_calibration(request.calibration);
  std::vector<Pair> pairs = pairs_between_hosts(measured);
  const bool is_one_host = pairs.empty();
  if (is_one_host) pairs = calibration::pairs_of(measured);
  const auto by_hosts = samples_by_hosts(measured, pairs);
  Samples samples;
  for (const auto& [hosts, of_pair] : by_hosts) samples.add(of_pair);
  if (samples.messages.empty())
    throw UsageError(fmt::format("{} has no messages", request.calibration),
                     "only what was measured can be predicted", "calibrate on two ranks or more");
  using communication::MessageModel;
  const auto place = is_one_host ? communication::PairPlace::one_host : communication::PairPlace::two_hosts;
  KnownCosts known;
  known.hosts = hosts_of(measured);
  known.launch = measured.launches.front();
  const auto model_of = [&](const Samples& all) {
    return std::make_shared<const MessageModel>(all.messages, request.fit, place, all.gaps);
  };
  const auto model = model_of(samples);
  known.measured = model->measured_bytes();
  known.uncertainty = model->deviation();
  known.costs = model;
  for (const auto& [hosts, of_pair] : by_hosts)
    known.pairs.emplace(hosts, by_hosts.size() == 1 ? known.costs : model_of(of_pair));
  known.description =
      fmt::format("as calibrated {} {}", is_one_host ? "on" : "between", fmt::join(known.hosts, ", "));
  using calibration::Spread;
  if (request.collectives == "measured")
    add_collectives(measured, is_one_host ? Spread::one_host : Spread::a_host_each, known);
  return known;
}

/// What tells the calibration's hosts from those of the runs, in words.
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

}  // namespace

bool KnownCosts::is_measured(const std::string& a, const std::string& b) const {
  return pairs.contains({a, b});
}

std::shared_ptr<const communication::MessageCosts> KnownCosts::between(const std::string& a,
                                                                       const std::string& b) const {
  const auto found = pairs.find({a, b});
  return found == pairs.end() ? costs : found->second;
}

std::vector<Assignment> parse_assignments(std::string_view option, const std::string& text) {
  std::vector<Assignment> assignments;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      throw UsageError(fmt::format("{} has '{}'", option, word), "it wants name=value, separated by commas");
    const Assignment given{word.substr(0, equals), word.substr(equals + 1)};
    if (std::ranges::find(assignments, given.name, &Assignment::name) != assignments.end())
      throw UsageError(fmt::format("{} has '{}' twice", option, given.name));
    assignments.push_back(given);
  }
  return assignments;
}

std::string file_of_run(const std::string& word) {
  return parts_of(word).file;
}

SourceRun read_source_run(const std::string& word) {
  const Parts parts = parts_of(word);
  const profile::Profile profile = profile::read_profile(parts.file);
  SourceRun source;
  source.run = {parts.file, setting_of(parts.assignments, profile.ranks.size()), 0,
                reconstruction::traces_of(profile)};
  source.run.makespan_s = reconstruction::makespan_s(source.run.traces);
  source.program = name_of(profile.program);
  for (const profile::RankProfile& rank : profile.ranks) source.hosts.push_back(rank.host);
  source.mpi = profile.mpi;
  return source;
}

KnownCosts message_costs(const CostsRequest& request) {
  if (!request.calibration.empty()) return calibrated(request);
  KnownCosts known;
  known.costs = std::make_shared<communication::LinearCosts>(parse_costs(request.costs));
  known.description = request.costs;
  return known;
}

std::vector<std::string> notes_on_setup(const KnownCosts& costs, const std::vector<SourceRun>& runs) {
  std::map<std::string, std::vector<std::string>> runs_by_difference;
  for (const SourceRun& source : runs)
    if (costs.launch && !source.mpi.empty())
      runs_by_difference[setup_difference(*costs.launch, source.mpi)].push_back(source.run.name);
  runs_by_difference.erase("");
  std::vector<std::string> notes;
  if (std::string hosts = other_hosts(costs, runs); !hosts.empty()) notes.push_back(std::move(hosts));
  for (const auto& [difference, names] : runs_by_difference)
    notes.push_back(
        fmt::format("MPI was set up otherwise for {} than for the calibration: {}; messages may cost "
                    "something else there",
                    fmt::join(names, ", "), difference));
  return notes;
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

std::string unmeasured_sizes(const KnownCosts& costs, const std::vector<double>& messages_bytes) {
  if (!costs.measured) return "";
  const communication::SizeRange measured = *costs.measured;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const double bytes : messages_bytes) {
    if (bytes == 0 || (bytes >= measured.least_bytes && bytes <= measured.most_bytes)) continue;
    least = std::min(least, bytes);
    most = std::max(most, bytes);
  }
  if (most == 0) return "";
  return extrapolation_note("messages of", {least, most}, measured);
}

}  // namespace loadshare::tool
