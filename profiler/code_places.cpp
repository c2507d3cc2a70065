#include "profiler/code_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>

#include "base/io/process.hpp"

namespace loadshare::profile {
namespace {

namespace fs = std::filesystem;

/// Returns the address in "solve()+0x12 at prog+0x1234" if `module` is prog; otherwise an empty text.
std::string address_in(const std::string& place, const std::string& module) {
  constexpr std::string_view sign = "+0x";
  constexpr std::string_view before = " at ";
  const std::size_t plus = place.rfind(sign);
  if (plus == std::string::npos) return "";
  const std::string_view named(place.data(), plus);
  if (!named.ends_with(module)) return "";
  const std::string_view rest = named.substr(0, plus - module.size());
  return rest.empty() || rest.ends_with(before) ? place.substr(plus + 1) : "";
}

std::set<std::string> modules_of(const Profile& profile) {
  std::set<std::string> modules;
  for (const RankProfile& rank : profile.ranks) modules.insert(rank.modules.begin(), rank.modules.end());
  return modules;
}

std::set<std::string> places_of(const Profile& profile) {
  std::set<std::string> places;
  for (const RankProfile& rank : profile.ranks) places.insert(rank.places.begin(), rank.places.end());
  return places;
}

/// Removes the text within brackets of this kind.
std::string without(const std::string& text, char open, char close) {
  std::string rest;
  int depth = 0;
  for (const char c : text) {
    if (c == open) ++depth;
    if (depth == 0) rest += c;
    if (c == close && depth > 0) --depth;
  }
  return rest;
}

/// Reads one frame of an address as addr2line prints it: the function, then FILE:LINE.
CodePlace frame_of(const std::string& function, std::string place) {
  CodePlace frame;
  if (function != "??") frame.function = function;
  if (const std::size_t more = place.find(" (discriminator"); more != place.npos) place.resize(more);
  const std::size_t colon = place.rfind(':');
  if (colon == place.npos || place.starts_with("??")) return frame;
  const char* const digits = place.data() + colon + 1;
  if (std::from_chars(digits, place.data() + place.size(), frame.line).ec == std::errc() && frame.line > 0)
    frame.file = fs::path(place.substr(0, colon)).lexically_normal().string();
  return frame;
}

bool is_lambda(const std::string& function) {
  return function.starts_with("operator()") || function.find("lambda") != function.npos;
}

/// Returns the call's place: the innermost of the frames that were inlined into each other. A lambda has no
/// name, so the function that contains it is returned instead.
CodePlace place_among(const std::vector<CodePlace>& frames) {
  if (frames.empty()) return {};
  CodePlace place = is_lambda(frames.front().function) ? frames.back() : frames.front();
  place.function = short_function(place.function);
  return place;
}

/// Looks up a profile's places, module by module.
class Lookup {
 public:
  Lookup(const Profile& profile, const std::string& path) : places_(places_of(profile)) {
    std::error_code none;
    taken_ = fs::last_write_time(path, none);
  }

  void ask(const std::string& module) {
    const std::string name = fs::path(module).filename().string();
    std::vector<std::string> places;
    std::string addresses;
    for (const std::string& place : places_)
      if (const std::string address = address_in(place, name); !address.empty()) {
        places.push_back(place);
        addresses += address + "\n";
      }
    std::error_code failure;
    const fs::file_time_type built = fs::last_write_time(module, failure);
    if (places.empty() || failure) return;
    if (built > taken_)
      return note(
          fmt::format("{} was rebuilt after the profile was taken; its places are shown as addresses", name));
    take(places, run_to_end({"addr2line", "-Cfia", "-e", module}, addresses).printed);
  }

  void note(const std::string& text) { found_.notes.push_back(text); }
  CodePlaces take_found() { return std::move(found_); }

 private:
  void take(const std::vector<std::string>& places, const std::string& printed) {
    const std::vector<CodePlace> in_code = parse_addr2line(printed, places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      if (!in_code[i].function.empty()) found_.by_place[places[i]] = in_code[i];
  }

  std::set<std::string> places_;
  fs::file_time_type taken_;
  CodePlaces found_;
};

}  // namespace

std::string short_function(const std::string& name) {
  std::string text = name;
  if (const std::size_t lambda = text.find("::{lambda"); lambda != text.npos) text.resize(lambda);
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t at = text.find(unnamed); at != text.npos; at = text.find(unnamed))
    text.erase(at, unnamed.size());
  // Operator() and operator<: brackets are part of the name.
  if (text.find("operator") != text.npos) return text;
  text = without(without(text, '<', '>'), '(', ')');
  if (const std::size_t clone = text.find(" ["); clone != text.npos) text.resize(clone);
  constexpr std::string_view constant = " const";
  if (text.ends_with(constant)) text.resize(text.size() - constant.size());
  if (const std::size_t type = text.rfind(' '); type != text.npos) text.erase(0, type + 1);
  const std::size_t last = text.rfind("::");
  if (last == text.npos || last == 0) return text;
  const std::size_t before = text.rfind("::", last - 1);
  return before == text.npos ? text : text.substr(before + 2);
}

std::vector<CodePlace> parse_addr2line(const std::string& printed, std::size_t addresses) {
  std::vector<std::vector<CodePlace>> frames;
  std::istringstream lines(printed);
  std::string function;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("addr2line: ") || line.starts_with("BFD: ")) continue;
    if (line.starts_with("0x")) {
      frames.emplace_back();
      function.clear();
    } else if (function.empty()) {
      function = line;
    } else if (!frames.empty()) {
      frames.back().push_back(frame_of(function, line));
      function.clear();
    }
  }
  std::vector<CodePlace> places(addresses);
  for (std::size_t i = 0; i < std::min(addresses, frames.size()); ++i) places[i] = place_among(frames[i]);
  return places;
}

CodePlaces code_places(const Profile& profile, const std::string& path) {
  Lookup lookup(profile, path);
  try {
    for (const std::string& module : modules_of(profile)) lookup.ask(module);
  } catch (const NotStarted&) {
    lookup.note("addr2line (package binutils) is not installed; places are shown as addresses");
  }
  return lookup.take_found();
}

}  // namespace loadshare::profile
