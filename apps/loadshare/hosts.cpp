#include "apps/loadshare/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <unordered_set>

#include "apps/loadshare/host_survey.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "experiments/lab/lab_file.hpp"
#include "experiments/yaml/document.hpp"

namespace loadshare::tool {
namespace {

namespace fs = std::filesystem;
using predictor::HostModel;

constexpr double least_speed = 1e-9;  // beyond these no run ends, or none takes any time
constexpr double most_speed = 1e9;

[[noreturn]] void refuse(std::string_view part, std::string_view why) {
  throw UsageError(fmt::format("'{}' is no host", part), why, fmt::format("write hosts as {}", hosts_form));
}

/// Alike but for their names; without a name of their own it is empty.
struct HostGroup {
  std::string name;
  Index count = 1;
  double speed = 1;
};

Index count_in(std::string_view text, std::string_view part) {
  Index count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = stop == text.data() + text.size() && !text.empty();
  if (is_number && error == std::errc::result_out_of_range) return most_hosts + 1;
  if (error != std::errc{} || !is_number) refuse(part, "how many stands before the x, as a whole number");
  if (count < 1) refuse(part, "how many stands before the x, at least 1");
  return count;
}

double speed_in(std::string_view text, std::string_view part) {
  const std::optional<double> speed = parse_number(text);
  if (!speed) refuse(part, "its speed must be a number");
  if (*speed <= 0) refuse(part, "its speed must be more than 0");
  if (*speed < least_speed || *speed > most_speed)
    refuse(part, fmt::format("its speed must be from {:g} to {:g}", least_speed, most_speed));
  return *speed;
}

void require_host_name(std::string_view name, std::string_view part) {
  if (name.empty()) refuse(part, "there is no name before the =");
  const auto is_odd = [](unsigned char c) { return std::isspace(c) != 0 || std::iscntrl(c) != 0; };
  if (std::ranges::any_of(name, is_odd)) refuse(part, "a name has no blanks");
}

HostGroup group_in(std::string_view part) {
  HostGroup group;
  std::string_view rest = part;
  if (rest.empty()) refuse(part, "there is none between two commas, or at an end");
  if (const std::size_t equals = rest.find('='); equals != rest.npos) {
    group.name = rest.substr(0, equals);
    require_host_name(group.name, part);
    rest.remove_prefix(equals + 1);
  }
  if (const std::size_t times = rest.find('x'); times != rest.npos) {
    group.count = count_in(rest.substr(0, times), part);
    rest.remove_prefix(times + 1);
  }
  group.speed = speed_in(rest, part);
  return group;
}

/// Of a name or a number alone.
void add_hosts(const HostGroup& group, std::vector<HostModel>& hosts) {
  if (group.count > most_hosts - static_cast<Index>(hosts.size()))
    throw UsageError("there are too many hosts", fmt::format("at most {} are predicted", most_hosts),
                     "write fewer");
  for (Index i = 1; i <= group.count; ++i) {
    HostModel& host = hosts.emplace_back();
    if (group.name.empty())
      host.name = fmt::format("host{}", hosts.size());
    else
      host.name = group.count == 1 ? group.name : fmt::format("{}{}", group.name, i);
    host.is_named = !group.name.empty();
    host.speed = group.speed;
  }
}

void require_own_names(const std::vector<HostModel>& hosts) {
  std::unordered_set<std::string_view> names;
  names.reserve(hosts.size());
  for (const HostModel& host : hosts)
    if (!names.insert(host.name).second)
      throw UsageError(fmt::format("two hosts are called '{}'", host.name), "a host is known by its name",
                       "give each its own");
}

constexpr double usual_tick_s = 4e-3;  // of the kernel under the lab, where that looks more often

/// A lab's links count a full frame as 1,514 bytes: a wire has 24 more of it, for the preamble, the checksum
/// and the gap behind it. So they are faster than a wire of their rate, as measured: 1.195 MB/s of TCP at 10
/// Mbit/s, where a wire carries 1.177.
constexpr double lab_wire_share = 1538.0 / 1514;

HostModel model_of(const lab::HostPlan& host, const lab::LabPlan& plan) {
  HostModel model;
  model.name = host.name;
  if (host.share < 1)
    model.grant =
        predictor::CpuQuota{host.share, plan.period_us / 1e6, std::min(plan.turn_us / 1e6, usual_tick_s)};
  model.link_bytes_per_s = lab_wire_share * static_cast<double>(host.link_bits_per_s) / 8;
  model.link_burst_bytes = static_cast<double>(lab::burst_bytes_of(host.link_bits_per_s, plan));
  return model;
}

HostModel model_of(const SurveyedRank& rank) {
  HostModel model;
  model.name = rank.host;
  model.speed = rank.speed.median_gflops;
  model.is_speed_absolute = true;
  if (rank.grant && rank.grant->share < 1) model.grant = rank.grant;
  model.available = rank.available;
  return model;
}

std::vector<HostModel> lab_hosts(const std::string& text, const std::string& path) {
  const lab::LabPlan plan = lab::read_lab(yaml::read(text, path));
  std::vector<HostModel> hosts;
  for (const lab::HostPlan& host : plan.hosts) hosts.push_back(model_of(host, plan));
  return hosts;
}

std::vector<HostModel> surveyed_hosts(const std::string& text, const std::string& path) {
  const HostSurvey survey = parse_survey(text, path);
  if (std::ssize(survey.ranks) > most_hosts)
    throw UsageError(fmt::format("{}: there are too many hosts", path),
                     fmt::format("it has {}, at most {} are predicted", survey.ranks.size(), most_hosts),
                     "survey fewer");
  std::vector<HostModel> hosts;
  for (const SurveyedRank& rank : survey.ranks) hosts.push_back(model_of(rank));
  return hosts;
}

/// By its name's ending, else by how its text begins.
bool is_json(const std::string& text, const fs::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".yaml" || ending == ".yml") return false;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return ending == ".json" || (first != text.npos && text[first] == '{');
}

/// Files beside the missing one that could hold hosts.
std::vector<std::string> host_files_beside(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code ignored;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".json" || ending == ".yaml" || ending == ".yml")
      names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// The file that may have been meant, also where its ending was left out or is another.
std::optional<std::string> meant_by(const fs::path& path) {
  const std::vector<std::string> names = host_files_beside(path);
  if (const auto near = nearest(path.filename().string(), names)) return near;
  std::vector<std::string> stems;
  for (const std::string& name : names) stems.push_back(fs::path(name).stem().string());
  const auto near = nearest(path.stem().string(), stems);
  if (!near) return std::nullopt;
  return names[static_cast<std::size_t>(std::ranges::find(stems, *near) - stems.begin())];
}

[[noreturn]] void throw_missing(const std::string& text) {
  const fs::path path = text;
  const auto meant = meant_by(path);
  throw UsageError(fmt::format("there is no file '{}'", text), "",
                   meant ? fmt::format("did you mean '{}'?", (path.parent_path() / *meant).string())
                         : fmt::format("name a lab file or a survey, or write hosts as {}", hosts_form));
}

}  // namespace

std::vector<HostModel> parse_hosts_by_hand(const std::string& text) {
  std::vector<HostModel> hosts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    add_hosts(group_in(std::string_view(text).substr(begin, end - begin)), hosts);
    begin = end + 1;
  }
  require_own_names(hosts);
  return hosts;
}

bool looks_written_by_hand(std::string_view text) {
  constexpr std::array<std::string_view, 3> endings{".yaml", ".yml", ".json"};
  const bool ends_like_a_file = std::ranges::any_of(endings, [&](auto end) { return text.ends_with(end); });
  if (text.empty() || ends_like_a_file || text.find('/') != text.npos) return false;
  const bool is_list = text.find_first_of(",=") != text.npos;
  const std::size_t sign = text.find_first_not_of("+-.");
  return is_list || (sign != text.npos && std::isdigit(static_cast<unsigned char>(text[sign])) != 0);
}

std::vector<HostModel> read_hosts(const std::string& text) {
  std::error_code ignored;
  const fs::file_status status = fs::status(text, ignored);
  const bool is_file = fs::exists(status) && !fs::is_directory(status);
  if (text.empty())
    throw UsageError("there are no hosts", "--hosts is empty", fmt::format("write them as {}", hosts_form));
  if (!is_file && looks_written_by_hand(text)) return parse_hosts_by_hand(text);
  if (status.type() == fs::file_type::not_found) throw_missing(text);
  const std::string content = read_text_file(text);
  return is_json(content, text) ? surveyed_hosts(content, text) : lab_hosts(content, text);
}

}  // namespace loadshare::tool
