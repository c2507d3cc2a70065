#include "apps/loadshare/json_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace loadshare::tool {
namespace {

/// Counts the lines that a parser has left behind, of which nlohmann's keeps nothing.
class LineCounter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounter(const char* at, std::size_t& line) : at_(at), line_(&line) {}

  const char& operator*() const { return *at_; }
  LineCounter& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  bool operator==(const LineCounter& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

}  // namespace

std::string json_position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column = line_end == before.npos ? before.size() : before.size() - line_end - 1;
  return fmt::format("{}:{}", std::ranges::count(before, '\n') + 1, column + 1);
}

LocatedJson locate_json(std::string_view text) {
  LocatedJson located;
  std::size_t line = 1;
  std::string list;
  const auto note = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    if (depth == 1 && event == nlohmann::json::parse_event_t::key) list = value.get<std::string>();
    if (depth == 2 && event == nlohmann::json::parse_event_t::object_start)
      located.lines[list].push_back(line);
    return true;
  };
  located.json = nlohmann::json::parse(LineCounter(text.data(), line),
                                       LineCounter(text.data() + text.size(), line), note);
  return located;
}

}  // namespace loadshare::tool
