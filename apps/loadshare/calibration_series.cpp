#include "apps/loadshare/calibration_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/names.hpp"
#include "models/program/collectives/table.hpp"

namespace loadshare::tool {
namespace {

using calibration::BurstSeries;
using calibration::Calibration;
using calibration::ChunkSeries;
using calibration::CollectiveSeries;
using calibration::Launch;
using calibration::MessageSeries;
using calibration::MessageTiming;
using calibration::RootedSeries;
using calibration::RoundTrips;
using communication::ReceivePosted;
using nlohmann::ordered_json;

Index nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

ordered_json nanoseconds(const std::vector<double>& all_s) {
  ordered_json list = ordered_json::array();
  for (const double seconds : all_s) list.push_back(nanoseconds(seconds));
  return list;
}

/// Times are positive: what took nothing cannot be modelled, and is damage.
std::vector<double> seconds_of(const Fields& fields, const char* key) {
  std::vector<double> all_s;
  for (const nlohmann::json& value : fields.list(key)) {
    if (!value.is_number_integer() || value.get<Index>() < 1)
      fields.refuse(fmt::format("a time in '{}' is {}", key, value.dump()),
                    "they are whole nanoseconds, at least 1");
    all_s.push_back(static_cast<double>(value.get<Index>()) / 1e9);
  }
  if (all_s.empty()) fields.refuse(fmt::format("'{}' is empty", key), "a series has at least one time");
  return all_s;
}

ordered_json nanoseconds(const std::vector<std::vector<double>>& calls) {
  ordered_json lists = ordered_json::array();
  for (const std::vector<double>& by_rank : calls) lists.push_back(nanoseconds(by_rank));
  return lists;
}

/// A list a call, of a time of each rank.
std::vector<std::vector<double>> calls_of(const Fields& fields, const char* key, int ranks) {
  std::vector<std::vector<double>> calls;
  for (const nlohmann::json& list : fields.list(key)) {
    const auto is_time = [](const nlohmann::json& time) {
      return time.is_number_integer() && time.get<Index>() >= 0;
    };
    if (!list.is_array() || std::ssize(list) != ranks || !std::ranges::all_of(list, is_time))
      fields.refuse(fmt::format("a call in '{}' is {}", key, list.dump()),
                    fmt::format("it has whole nanoseconds of {} ranks", ranks));
    calls.emplace_back();
    for (const nlohmann::json& time : list)
      calls.back().push_back(static_cast<double>(time.get<Index>()) / 1e9);
  }
  if (calls.empty()) fields.refuse(fmt::format("'{}' is empty", key), "a series has at least one call");
  return calls;
}

std::map<std::string, std::string> texts_of(const Fields& fields, const char* key) {
  std::map<std::string, std::string> texts;
  const nlohmann::json& object = fields.object(key);
  const Fields each(object, fields.place(), key);
  for (const auto& [name, value] : object.items()) texts[name] = each.text(name.c_str());
  return texts;
}

std::size_t launch_of(const Fields& fields, const Calibration& so_far) {
  const auto launch = static_cast<std::size_t>(fields.integer("launch", 0));
  if (launch >= so_far.launches.size())
    fields.refuse(fmt::format("there is no launch {}", launch), "they count from 0");
  return launch;
}

int rank_of(const Fields& fields, const char* key, const Calibration& so_far, std::size_t launch) {
  const Index rank = fields.integer(key, 0);
  if (rank >= std::ssize(so_far.launches[launch].ranks))
    fields.refuse(fmt::format("there is no rank {}", rank), "they count from 0");
  return static_cast<int>(rank);
}

/// How many ranks make a call together.
int members_of(const Fields& fields, const Calibration& so_far, std::size_t launch) {
  const Index ranks = fields.integer("ranks", 2);
  if (const auto all = std::ssize(so_far.launches[launch].ranks); ranks > all)
    fields.refuse(fmt::format("a call of {} ranks", ranks), fmt::format("the launch has {}", all));
  return static_cast<int>(ranks);
}

calibration::RankPlace read_place(const Fields& fields, std::size_t rank) {
  calibration::RankPlace place{static_cast<int>(rank), fields.text("host"), {}};
  for (const nlohmann::json& cpu : fields.list("cpus")) {
    if (!cpu.is_number_integer()) fields.refuse("a processor is " + cpu.dump(), "they are whole numbers");
    place.cpus.push_back(cpu.get<int>());
  }
  return place;
}

/// The value of a name, by one of communication's parsers.
template <class Value>
Value named(const Fields& fields, const char* key, Value (*parse)(const std::string&, const std::string&)) {
  const std::string text = fields.text(key);
  try {
    return parse(key, text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", fields.place(), error.what()));
  }
}

std::string known_call(const Fields& fields) {
  std::vector<std::string> names;
  for (const auto& kind : timing_graph::collectives::collective_table()) names.push_back(kind.name);
  const std::string call = fields.text("call");
  if (std::ranges::find(names, call) == names.end())
    fields.refuse(fmt::format("unknown collective call '{}'", call),
                  fmt::format("valid: {}", list_names(names)), did_you_mean(call, names));
  return call;
}

void require_two_ranks(const Fields& fields, int sender, int receiver) {
  if (sender == receiver)
    fields.refuse(fmt::format("rank {} is sender and receiver", sender), "messages go from one to another");
}

std::vector<bool> waits_of(const Fields& fields, std::size_t count) {
  std::vector<bool> waits;
  for (const nlohmann::json& value : fields.list("has_waited")) {
    if (value != 0 && value != 1) fields.refuse("'has_waited' holds " + value.dump(), "it is 0 or 1");
    waits.push_back(value == 1);
  }
  if (waits.size() != count)
    fields.refuse(fmt::format("{} messages, but {} values of 'has_waited'", count, waits.size()),
                  "each has one");
  return waits;
}

std::vector<MessageTiming> read_timings(const Fields& fields, ReceivePosted posted) {
  const std::vector<double> sender_s = seconds_of(fields, "sender_ns");
  const std::vector<double> receiver_s = seconds_of(fields, "receiver_ns");
  if (sender_s.size() != receiver_s.size())
    fields.refuse(
        fmt::format("{} times of the sender and {} of the receiver", sender_s.size(), receiver_s.size()),
        "every message has both");
  const std::vector<bool> waits =
      posted == ReceivePosted::after ? waits_of(fields, sender_s.size()) : std::vector<bool>(sender_s.size());
  std::vector<MessageTiming> timings;
  for (std::size_t i = 0; i < sender_s.size(); ++i) timings.push_back({sender_s[i], receiver_s[i], waits[i]});
  return timings;
}

}  // namespace

ordered_json series_json(const Launch& launch) {
  ordered_json ranks = ordered_json::array();
  for (const calibration::RankPlace& rank : launch.ranks)
    ranks.push_back({{"host", rank.host}, {"cpus", rank.cpus}});
  ordered_json json{{"begun", launch.begun},
                    {"seconds", launch.seconds},
                    {"seed", launch.seed},
                    {"clock_s", launch.clock_s},
                    {"transport", launch.transport}};
  if (launch.asked_for) json["asked_for"] = *launch.asked_for;
  json["versions"] = launch.versions;
  json["ranks"] = std::move(ranks);
  return json;
}

ordered_json series_json(const MessageSeries& series) {
  ordered_json json{{"launch", series.launch},          {"sender", series.sender},
                    {"receiver", series.receiver},      {"mode", name_of(series.mode)},
                    {"posted", name_of(series.posted)}, {"bytes", series.bytes}};
  ordered_json sender = ordered_json::array(), receiver = sender, waits = sender;
  for (const MessageTiming& message : series.messages) {
    sender.push_back(nanoseconds(message.sender_s));
    receiver.push_back(nanoseconds(message.receiver_s));
    waits.push_back(message.has_waited ? 1 : 0);
  }
  json["sender_ns"] = std::move(sender);
  json["receiver_ns"] = std::move(receiver);
  if (series.posted == ReceivePosted::after) json["has_waited"] = std::move(waits);
  return json;
}

ordered_json series_json(const RoundTrips& trips) {
  return {{"launch", trips.launch},
          {"sender", trips.sender},
          {"receiver", trips.receiver},
          {"ns", nanoseconds(trips.seconds)}};
}

ordered_json series_json(const BurstSeries& series) {
  return {{"launch", series.launch}, {"sender", series.sender},     {"receiver", series.receiver},
          {"bytes", series.bytes},   {"messages", series.messages}, {"ns", nanoseconds(series.seconds)}};
}

ordered_json series_json(const CollectiveSeries& series) {
  return {{"launch", series.launch},
          {"call", series.call},
          {"ranks", series.ranks},
          {"bytes", series.bytes},
          {"ns", nanoseconds(series.seconds)}};
}

ordered_json series_json(const RootedSeries& series) {
  return {{"launch", series.launch},
          {"call", series.call},
          {"ranks", series.ranks},
          {"bytes", series.bytes},
          {"begun_ns", nanoseconds(series.begun_s)},
          {"ended_ns", nanoseconds(series.ended_s)}};
}

ordered_json series_json(const ChunkSeries& series) {
  return {{"launch", series.launch}, {"rank", series.rank},       {"kernel", series.kernel},
          {"size", series.size},     {"columns", series.columns}, {"ns", nanoseconds(series.seconds)}};
}

Launch read_launch(const Fields& fields, const Calibration& so_far) {
  Launch launch;
  launch.begun = fields.text("begun");
  launch.seconds = fields.seconds("seconds");
  launch.seed = fields.integer("seed", 0);
  launch.clock_s = fields.seconds("clock_s");
  launch.transport = texts_of(fields, "transport");
  if (fields.has("asked_for")) launch.asked_for = texts_of(fields, "asked_for");
  launch.versions = texts_of(fields, "versions");
  for (const nlohmann::json& rank : fields.list("ranks"))
    launch.ranks.push_back(read_place(Fields(rank, fields.place(), "a rank"), launch.ranks.size()));
  if (so_far.launches.empty()) return launch;
  if (const std::string difference = host_difference(so_far.launches.front(), launch); !difference.empty())
    fields.refuse(difference, "the launches of a calibration are on the same hosts",
                  "keep each cluster's calibration in a file of its own");
  return launch;
}

MessageSeries read_messages(const Fields& fields, const Calibration& so_far) {
  MessageSeries series;
  series.launch = launch_of(fields, so_far);
  series.sender = rank_of(fields, "sender", so_far, series.launch);
  series.receiver = rank_of(fields, "receiver", so_far, series.launch);
  require_two_ranks(fields, series.sender, series.receiver);
  series.mode = named(fields, "mode", communication::parse_send_mode);
  series.posted = named(fields, "posted", communication::parse_receive_posted);
  if (series.mode == communication::SendMode::ready && series.posted == ReceivePosted::after)
    fields.refuse("a ready send whose receive was posted after it", "MPI forbids that");
  series.bytes = fields.integer("bytes", 0);
  series.messages = read_timings(fields, series.posted);
  return series;
}

RoundTrips read_round_trips(const Fields& fields, const Calibration& so_far) {
  const std::size_t launch = launch_of(fields, so_far);
  RoundTrips trips{launch, rank_of(fields, "sender", so_far, launch),
                   rank_of(fields, "receiver", so_far, launch), seconds_of(fields, "ns")};
  require_two_ranks(fields, trips.sender, trips.receiver);
  return trips;
}

BurstSeries read_bursts(const Fields& fields, const Calibration& so_far) {
  const std::size_t launch = launch_of(fields, so_far);
  BurstSeries series{launch,
                     rank_of(fields, "sender", so_far, launch),
                     rank_of(fields, "receiver", so_far, launch),
                     fields.integer("bytes", 0),
                     fields.integer("messages", 2),
                     seconds_of(fields, "ns")};
  require_two_ranks(fields, series.sender, series.receiver);
  return series;
}

CollectiveSeries read_collectives(const Fields& fields, const Calibration& so_far) {
  const std::size_t launch = launch_of(fields, so_far);
  return {launch, known_call(fields), members_of(fields, so_far, launch), fields.integer("bytes", 0),
          seconds_of(fields, "ns")};
}

RootedSeries read_rooted_calls(const Fields& fields, const Calibration& so_far) {
  const std::size_t launch = launch_of(fields, so_far);
  const int ranks = members_of(fields, so_far, launch);
  const std::string call = known_call(fields);
  if (!timing_graph::collectives::has_root(call))
    fields.refuse(fmt::format("'{}' has no root", call), "only calls with a root are recorded rank by rank");
  RootedSeries series{launch,
                      call,
                      ranks,
                      fields.integer("bytes", 0),
                      calls_of(fields, "begun_ns", ranks),
                      calls_of(fields, "ended_ns", ranks)};
  const auto ends_behind = [](const std::vector<double>& begun_s, const std::vector<double>& ended_s) {
    return std::ranges::equal(begun_s, ended_s, std::less_equal{});
  };
  if (!std::ranges::equal(series.begun_s, series.ended_s, ends_behind))
    fields.refuse("a call has no end, or ends before it begins", "every rank has one for each call");
  return series;
}

ChunkSeries read_chunks(const Fields& fields, const Calibration& so_far) {
  const std::size_t launch = launch_of(fields, so_far);
  ChunkSeries series{launch,
                     rank_of(fields, "rank", so_far, launch),
                     fields.text("kernel"),
                     fields.integer("size", 1),
                     fields.integer("columns", 1),
                     seconds_of(fields, "ns")};
  if (series.columns > series.size)
    fields.refuse(fmt::format("{} columns of a matrix of {}", series.columns, series.size),
                  "a chunk is a part of it");
  return series;
}

}  // namespace loadshare::tool
