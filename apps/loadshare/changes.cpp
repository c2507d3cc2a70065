#include "apps/loadshare/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "apps/loadshare/hosts_by_hand.hpp"
#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::tool {
namespace {

using predictor::HostModel;
using predictor::Stay;

constexpr Choices<Change::Kind, 3> change_kinds{
    {{"leave", Change::Kind::leave}, {"lose", Change::Kind::lose}, {"join", Change::Kind::join}}};
const std::array<std::string, 2> file_keys{"schema", "changes"};
const std::array<std::string, 4> change_keys{"at", "leave", "lose", "join"};
constexpr Index file_schema = 1;

/// Of an option: `host=3@30s`.
Change change_in(Change::Kind kind, const std::string& text) {
  const std::string option = fmt::format("--{}", name_among(change_kinds, kind));
  const std::string said = fmt::format("{} is '{}'", option, text);
  const std::size_t sign = text.rfind('@');
  if (sign == text.npos || sign == 0)
    throw UsageError(said, "it needs a worker and a time, separated by @",
                     kind == Change::Kind::join ? "write 2x1@60s" : "write host=3@30s or rank=2@30s");
  return {kind, text.substr(0, sign), duration_s(option, text.substr(sign + 1)), said};
}

Change change_in(const yaml::Value& value) {
  yaml::Map map = value.map();
  map.require_known(change_keys);
  Change change{.at_s = map.at("at").duration_s()};
  std::optional<yaml::Value> what;
  for (const auto& [name, kind] : change_kinds)
    if (const auto who = map.find(std::string(name))) {
      if (what)
        throw who->error("this change has two kinds", "each change is one of leave, lose and join",
                         "write two changes");
      what = who;
      change.kind = kind;
    }
  if (!what) throw value.error("this change has no kind", "", "give one of leave, lose and join");
  change.who = what->text();
  const yaml::Position at = what->position();
  change.said = fmt::format("{}:{}:{}: {} is '{}'", what->file(), at.line, at.column,
                            name_among(change_kinds, change.kind), change.who);
  return change;
}

/// Counted by their names, from 1 on.
std::optional<std::string> name_of_number(const std::vector<HostModel>& hosts, std::string_view number) {
  std::set<std::string_view> names;
  for (const HostModel& host : hosts)
    if (names.insert(host.name).second && number == std::to_string(names.size())) return host.name;
  return std::nullopt;
}

/// A host may leave and come again: those of its ranks that are there when it goes, or all where none is,
/// which is then the error.
std::vector<std::size_t> ranks_of_host(const Change& change, std::string name,
                                       const std::vector<HostModel>& hosts) {
  const auto ranks = [&] {
    std::vector<std::size_t> all, there;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
      if (hosts[rank].name != name) continue;
      all.push_back(rank);
      const Stay& stay = hosts[rank].stay;
      if (stay.from_s <= change.at_s && !stay.has_end()) there.push_back(rank);
    }
    return there.empty() ? all : there;
  };
  if (const auto found = ranks(); !found.empty()) return found;
  if (const auto by_number = name_of_number(hosts, name)) {
    name = *by_number;
    return ranks();
  }
  std::vector<std::string> names;
  for (const HostModel& host : hosts) names.push_back(host.name);
  const auto near = nearest(name, names);
  throw UsageError(change.said, fmt::format("there is no host '{}'", name),
                   near ? fmt::format("did you mean '{}'?", *near)
                        : fmt::format("give a name or a number; host 1 is '{}'", names.front()));
}

/// Those that go.
std::vector<std::size_t> ranks_of(const Change& change, const std::vector<HostModel>& hosts) {
  const std::size_t equals = change.who.find('=');
  const std::string what = change.who.substr(0, equals);
  const std::string which = equals == change.who.npos ? "" : change.who.substr(equals + 1);
  if (what == "host" && !which.empty()) return ranks_of_host(change, which, hosts);
  if (what != "rank" || which.empty())
    throw UsageError(change.said, "a worker is given by its host or its rank",
                     "write host=NAME or rank=NUMBER");
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    if (which == std::to_string(rank)) return {rank};
  throw UsageError(change.said, fmt::format("there are ranks 0 to {}", hosts.size() - 1));
}

void add_joining(const Change& change, std::vector<HostModel>& hosts) {
  std::vector<HostModel> joining;
  try {
    joining = parse_hosts_by_hand(change.who);
  } catch (const UsageError& error) {
    throw UsageError(change.said, error.text().problem + ": " + error.text().why, error.text().suggestion);
  }
  if (std::ssize(hosts) + std::ssize(joining) > most_hosts)
    throw UsageError(change.said, fmt::format("at most {} hosts are predicted", most_hosts));
  for (HostModel& host : joining) {
    hosts.push_back(std::move(host));
    hosts.back().stay.from_s = change.at_s;
    if (!hosts.back().is_named) hosts.back().name = fmt::format("host{}", hosts.size());
  }
}

void let_go(const Change& change, HostModel& host) {
  if (host.stay.has_end()) throw UsageError(change.said, fmt::format("{} leaves twice", host.name));
  if (change.at_s < host.stay.from_s)
    throw UsageError(change.said, fmt::format("{} joins only at {:.3g} s", host.name, host.stay.from_s));
  host.stay.until_s = change.at_s;
  host.stay.end = change.kind == Change::Kind::leave ? Stay::End::leaves : Stay::End::is_lost;
}

}  // namespace

std::vector<Change> read_changes(const yaml::Value& file) {
  yaml::Map map = file.map();
  const yaml::Value schema = map.at("schema");
  if (const Index number = schema.integer(); number != file_schema)
    throw schema.error(fmt::format("schema is {}", number),
                       fmt::format("this program reads {}", file_schema));
  map.require_known(file_keys);
  std::vector<Change> changes;
  for (const yaml::Value& change : map.at("changes").list()) changes.push_back(change_in(change));
  return changes;
}

std::vector<Change> changes_of(const ChangesRequest& request) {
  std::vector<Change> changes;
  if (!request.file.empty()) changes = read_changes(yaml::load(request.file));
  for (const std::string& text : request.leave) changes.push_back(change_in(Change::Kind::leave, text));
  for (const std::string& text : request.lose) changes.push_back(change_in(Change::Kind::lose, text));
  for (const std::string& text : request.join) changes.push_back(change_in(Change::Kind::join, text));
  return changes;
}

void apply_changes(std::vector<Change> changes, std::vector<HostModel>& hosts) {
  std::ranges::stable_sort(changes, {}, &Change::at_s);
  for (const Change& change : changes)
    if (change.kind == Change::Kind::join) add_joining(change, hosts);
  for (const Change& change : changes)
    if (change.kind != Change::Kind::join)
      for (const std::size_t rank : ranks_of(change, hosts)) let_go(change, hosts[rank]);
}

void apply_journal(const std::string& text, double recorded_s, predictor::FarmModel& model) {
  if (text.empty()) return;
  if (text != "recorded") {
    model.costs.journal_each_s = duration_s("--journal", text);
  } else if (recorded_s > 0) {
    model.costs.journal_each_s = recorded_s;
  } else {
    throw UsageError("--journal is 'recorded'", "no run records the time of its journal",
                     "give a record of a run with --journal, or the time per iteration, as 2us");
  }
}

std::string changes_text(const std::vector<HostModel>& hosts) {
  // By what happens when, so that many hosts are one word.
  std::map<std::pair<double, std::string>, std::vector<std::string>> happenings;
  for (const HostModel& host : hosts) {
    if (host.stay.is_late()) happenings[{host.stay.from_s, "join"}].push_back(host.name);
    if (host.stay.has_end())
      happenings[{host.stay.until_s, host.stay.end == Stay::End::leaves ? "leave" : "lost"}].push_back(
          host.name);
  }
  std::string text;
  for (const auto& [when, names] : happenings) {
    const bool is_one = names.size() == 1;
    const std::string verb =
        when.second == "lost" ? (is_one ? "is lost" : "are lost") : when.second + (is_one ? "s" : "");
    text += fmt::format("{}{} {} at {}", text.empty() ? "" : "; ",
                        is_one ? names.front() : count_text(std::ssize(names), "rank", "ranks"), verb,
                        duration_text(when.first));
  }
  return text;
}

}  // namespace loadshare::tool
