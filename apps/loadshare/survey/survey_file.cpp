#include "apps/loadshare/survey/survey_file.hpp"

#include <fmt/format.h>

#include "base/io/json.hpp"

namespace loadshare::tool {
namespace {

using nlohmann::ordered_json;

constexpr const char* kind = "loadshare survey";
constexpr double most_gflops = 1e9;
constexpr double longest_period_s = 10;
constexpr int most_cpus = 1'000'000;

std::string line_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json grant_json(const std::optional<predictor::CpuQuota>& grant) {
  if (!grant) return nullptr;
  return {{"share", grant->share}, {"period_s", grant->period_s}, {"tick_s", grant->tick_s}};
}

MeasuredSpeed read_speed(const Fields& fields) {
  const auto number = [&fields](const char* key) { return fields.number(key, 0, most_gflops); };
  const MeasuredSpeed speed{number("median"), number("low"), number("high"), fields.whole("pieces", 1)};
  if (speed.low_gflops > speed.median_gflops || speed.median_gflops > speed.high_gflops)
    fields.refuse("the median speed is not between the low and the high one", "it is by their meaning");
  return speed;
}

/// 1 and more is no limit, and is not written.
std::optional<predictor::CpuQuota> read_grant(const Fields& rank) {
  if (rank.is_null("grant")) return std::nullopt;
  const Fields grant(rank.object("grant"), rank.place(), "the grant");
  return predictor::CpuQuota{grant.number("share", 0, 1), grant.number("period_s", 0, longest_period_s),
                             grant.number("tick_s", 0, 1)};
}

std::vector<int> read_cpus(const Fields& rank) {
  std::vector<int> cpus;
  for (const nlohmann::json& cpu : rank.list("cpus")) {
    if (!cpu.is_number_unsigned() || cpu > most_cpus)
      rank.refuse(fmt::format("a processor in 'cpus' is {}", cpu.dump()), "they count from 0");
    cpus.push_back(cpu.get<int>());
  }
  return cpus;
}

LocatedJson parsed(const std::string& text, const std::string& path) {
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw UsageError(fmt::format("{} is empty", path), "a survey is JSON",
                     "write one with loadshare survey --out FILE");
  try {
    return locate_json(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw UsageError(fmt::format("{}:{}: this is no JSON", path, json_position(text, error.byte)),
                     "the file is cut short or damaged, or was not written by loadshare survey");
  } catch (const nlohmann::json::out_of_range&) {
    throw UsageError(fmt::format("{}: this is no survey", path), "a number in it is too large",
                     "the file is damaged, or was not written by loadshare survey");
  }
}

void require_schema(const Fields& file) {
  if (!file.has("kind") || !file.any("kind").is_string() || file.text("kind") != kind)
    file.refuse("this is no survey", fmt::format("its 'kind' is not \"{}\"", kind),
                "give what loadshare survey wrote");
  if (const Index schema = file.whole("schema", 0); schema != HostSurvey::schema)
    file.refuse(fmt::format("a survey of schema {}", schema),
                fmt::format("this program reads {}", HostSurvey::schema), "use the loadshare that wrote it");
}

std::string place_of(const LocatedJson& whole, const std::string& path, std::size_t number) {
  const auto lines = whole.lines.find("ranks");
  const bool is_known = lines != whole.lines.end() && number < lines->second.size();
  return is_known ? fmt::format("{}:{}", path, lines->second[number]) : path;
}

std::vector<SurveyedRank> read_ranks(const Fields& file, const LocatedJson& whole) {
  std::vector<SurveyedRank> ranks;
  for (const nlohmann::json& element : file.list("ranks")) {
    const auto number = ranks.size();
    const Fields fields(element, place_of(whole, file.place(), number), fmt::format("rank {}", number));
    if (const Index rank = fields.whole("rank", 0); rank != static_cast<Index>(number))
      fields.refuse(fmt::format("rank {} stands where rank {} belongs", rank, number), "they are in order");
    ranks.push_back(read_surveyed_rank(fields));
  }
  if (ranks.empty()) file.refuse("there are no ranks", "every survey has one");
  return ranks;
}

}  // namespace

ordered_json rank_json(const SurveyedRank& rank) {
  const MeasuredSpeed& speed = rank.speed;
  return {{"rank", rank.rank},
          {"host", rank.host},
          {"cpus", rank.cpus},
          {"system", rank.system},
          {"gflops",
           {{"median", speed.median_gflops},
            {"low", speed.low_gflops},
            {"high", speed.high_gflops},
            {"pieces", speed.pieces}}},
          {"grant", grant_json(rank.grant)},
          {"busy", rank.busy},
          {"available", rank.available}};
}

SurveyedRank read_surveyed_rank(const Fields& fields) {
  SurveyedRank rank;
  rank.rank = static_cast<int>(fields.whole("rank", 0));
  rank.host = fields.text("host");
  rank.cpus = read_cpus(fields);
  rank.system = fields.text("system");
  rank.speed = read_speed(Fields(fields.object("gflops"), fields.place(), "'gflops'"));
  rank.grant = read_grant(fields);
  rank.busy = fields.number("busy", 0, 1);
  rank.available = fields.number("available", 0, 1);
  return rank;
}

std::string to_json(const HostSurvey& survey) {
  std::string text = fmt::format("{{\n\"kind\": \"{}\",\n\"schema\": {}", kind, HostSurvey::schema);
  const auto add = [&text](const char* key, const ordered_json& value) {
    text += fmt::format(",\n\"{}\": {}", key, line_of(value));
  };
  add("begun", survey.begun);
  add("seconds", survey.seconds);
  add("versions", survey.versions);
  text += ",\n\"ranks\": [";
  const char* separator = "\n";
  for (const SurveyedRank& rank : survey.ranks) {
    text += separator + line_of(rank_json(rank));
    separator = ",\n";
  }
  text += "]";
  add("notes", survey.notes);
  return text + "\n}\n";
}

HostSurvey parse_survey(const std::string& text, const std::string& path) {
  const LocatedJson whole = parsed(text, path);
  const Fields file(whole.json, path, "the survey");
  require_schema(file);
  HostSurvey survey;
  survey.begun = file.text("begun");
  survey.seconds = file.seconds("seconds");
  const Fields versions(file.object("versions"), path, "'versions'");
  for (const auto& [name, value] : file.object("versions").items())
    survey.versions[name] = versions.text(name.c_str());
  survey.ranks = read_ranks(file, whole);
  for (const nlohmann::json& note : file.list("notes")) {
    if (!note.is_string()) file.refuse(fmt::format("a note is {}", note.dump()), "it must be a text");
    survey.notes.push_back(note.get<std::string>());
  }
  return survey;
}

}  // namespace loadshare::tool
