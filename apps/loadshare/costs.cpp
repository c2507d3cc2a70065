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
                       "p is the number of ranks, which the profile records", "leave it out");
    setting[given.name] = number("--from", given.value);
    if (setting[given.name] <= 0)
      throw UsageError(fmt::format("--from has '{}={}'", given.name, given.value),
                       "parameters must be positive");
  }
  setting["p"] = static_cast<double>(ranks);
  return setting;
}

std::string without_folders(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// "python" of "python3.11"; nothing of what is no interpreter.
std::optional<std::string> interpreter_of(std::string name) {
  constexpr std::array names{"bash", "dash",   "julia", "ksh",     "lua", "octave", "perl",
                             "pypy", "python", "ruby",  "Rscript", "sh",  "zsh"};
  name.resize(name.find_last_not_of("0123456789.") + 1);
  return std::ranges::find(names, name) != names.end() ? std::optional(name) : std::nullopt;
}

/// The first word that is no option, no option's value, and no module that itself runs a script.
std::string script_in(std::istringstream words) {
  constexpr std::array with_value{"-W", "-X"};
  for (std::string word; words >> word;)
    if (std::ranges::find(with_value, word) != with_value.end())
      words >> word;
    else if (!word.starts_with('-') && word != "mpi4py")
      return without_folders(word);
  return "";
}

/// Those that lie so; where there are none, the others.
std::vector<Pair> pairs_that_lie(const Calibration& measured, calibration::Spread spread) {
  std::vector<Pair> pairs = calibration::pairs_of(measured);
  const auto others = std::ranges::stable_partition(pairs, [&](const Pair& pair) {
    return share_host(measured, pair) == (spread == calibration::Spread::one_host);
  });
  if (others.begin() != pairs.begin()) pairs.erase(others.begin(), others.end());
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

void add_collectives(const Calibration& measured, KnownCosts& known) {
  const auto samples = collective_samples_of(measured, known.lie);
  const auto rooted = rooted_samples_of(measured, known.lie);
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
using SamplesByHosts = std::map<std::set<std::string>, Samples>;

SamplesByHosts samples_by_hosts(const Calibration& measured, const std::vector<Pair>& pairs) {
  SamplesByHosts samples;
  for (const Pair& pair : pairs)
    samples[hosts_of(measured, pair)].add({samples_of(measured, pair), gaps_of(measured, pair)});
  return samples;
}

void add_costs(const SamplesByHosts& by_hosts, const std::string& fit, KnownCosts& known) {
  using communication::MessageModel, communication::PairPlace;
  const auto place = known.lie == calibration::Spread::one_host ? PairPlace::one_host : PairPlace::two_hosts;
  const auto model_of = [&](const Samples& all) {
    return std::make_shared<const MessageModel>(all.messages, fit, place, all.gaps);
  };
  Samples samples;
  for (const auto& [hosts, of_pair] : by_hosts) samples.add(of_pair);
  const auto model = model_of(samples);
  known.measured = model->measured_bytes();
  known.uncertainty = model->deviation();
  known.costs = model;
  for (const auto& [hosts, of_pair] : by_hosts)
    known.pairs.emplace(hosts, by_hosts.size() == 1 ? known.costs : model_of(of_pair));
}

std::string description_of(const SamplesByHosts& by_hosts, calibration::Spread lie) {
  std::set<std::string> names;
  for (const auto& [hosts, of_pair] : by_hosts) names.insert(hosts.begin(), hosts.end());
  return fmt::format("as calibrated {} {}", lie == calibration::Spread::one_host ? "on" : "between",
                     fmt::join(names, ", "));
}

KnownCosts calibrated(const CostsRequest& request) {
  using calibration::Spread;
  const Calibration measured = read_calibration(request.calibration);
  const std::vector<Pair> pairs = pairs_that_lie(measured, request.lie);
  const auto by_hosts = samples_by_hosts(measured, pairs);
  KnownCosts known;
  known.hosts = hosts_of(measured);
  known.launch = measured.launches.front();
  known.lie = share_host(measured, pairs.front()) ? Spread::one_host : Spread::a_host_each;
  known.description = description_of(by_hosts, known.lie);
  add_costs(by_hosts, request.fit, known);
  if (request.collectives == "measured") add_collectives(measured, known);
  return known;
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
      throw UsageError(fmt::format("{} has '{}'", option, word),
                       "it must be name=value, separated by commas");
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

std::string program_of(const std::string& command) {
  std::istringstream words(command);
  std::string first;
  words >> first;
  const std::string name = without_folders(first);
  const auto interpreter = interpreter_of(name);
  if (!interpreter) return name;
  const std::string script = script_in(std::move(words));
  return script.empty() ? name : *interpreter + " " + script;
}

SourceRun read_source_run(const std::string& word) {
  const Parts parts = parts_of(word);
  const profile::Profile profile = profile::read_profile(parts.file);
  SourceRun source;
  source.run = {parts.file, setting_of(parts.assignments, profile.ranks.size()), 0,
                reconstruction::traces_of(profile)};
  source.run.makespan_s = reconstruction::makespan_s(source.run.traces);
  source.program = program_of(profile.program);
  source.place = {parts.file, {}, profile.mpi};
  for (const profile::RankProfile& rank : profile.ranks) source.place.hosts.push_back(rank.host);
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
  if (!costs.launch) return {};
  std::vector<calibration::RunPlace> places;
  for (const SourceRun& source : runs) places.push_back(source.place);
  std::vector<std::string> notes =
      notes_on_setup(*costs.launch, places, "messages may take different times there");
  const std::vector<std::string> shared = with_shared_hosts(places);
  if (costs.lie == calibration::Spread::a_host_each && !shared.empty())
    notes.push_back(
        fmt::format("several ranks of {} were on one host; messages between them are assumed to cost as much "
                    "as between the calibration's hosts",
                    fmt::join(shared, ", ")));
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
    notes.push_back(fmt::format(
        "predicted as the messages that Open MPI sends, because the calibration has no such calls: {} ranks",
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
