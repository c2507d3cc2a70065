#include "runtime/load/load_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "base/random.hpp"

namespace loadshare {
namespace {

double instant_s(const std::string& place, const std::string& word) {
  const std::optional<double> value_s = parse_number(word);
  if (!value_s || *value_s < 0 || *value_s > longest_duration_s)
    throw UsageError(fmt::format("{}: the second is '{}'", place, word), "it is a number from 0 to 1e9");
  return *value_s;
}

LoadStep read_step(const std::string& place, const std::string& line) {
  std::istringstream in(line);
  std::string second, share, more;
  if (!(in >> second >> share) || in >> more)
    throw UsageError(fmt::format("{}: '{}' is not a step", place, line), "a line is a second and a share",
                     "write it as 2.5 0.5");
  const bool is_off = share.find_first_not_of("0.") == std::string::npos;
  return {instant_s(place, second), is_off ? 0 : parse_share(place + ": the share", share)};
}

/// Reads steps from a file: ascending lines `second share`. A share of 0 is off; blank lines and text after a
/// # are ignored. Throws UsageError, `file:line: problem (why); suggestion`.
std::vector<LoadStep> read_load_trace(const std::string& path) {
  std::istringstream file(read_text_file(path, "the load's trace"));
  std::vector<LoadStep> steps;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string place = fmt::format("{}:{}", path, ++number);
    line.resize(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const LoadStep step = read_step(place, line);
    if (!steps.empty() && step.at_s <= steps.back().at_s)
      throw UsageError(fmt::format("{}: second {} comes after {}", place, step.at_s, steps.back().at_s),
                       "steps ascend", "sort them");
    steps.push_back(step);
  }
  if (steps.empty()) throw UsageError(fmt::format("{} has no step", path), "a line is a second and a share");
  return steps;
}

const std::vector<std::string> keys{"on", "off", "share", "phase", "seed", "where", "constant", "trace"};

/// The parts of a spec by name, and the form in which the user gave them.
class Parts {
 public:
  /// Parses one text, on=1s,off=1s.
  explicit Parts(std::string_view text) {
    if (text.empty()) throw no_shape("it is empty");
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      add(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  /// Takes options, --on 1s --off 1s.
  explicit Parts(std::map<std::string, std::string> values)
      : are_options_(true), values_(std::move(values)) {}

  /// Returns the parts as one text.
  std::string text() const {
    std::vector<std::string> parts;
    for (const char* key : {"constant", "on", "off", "phase", "seed", "trace", "share", "where"})
      if (has(key)) parts.push_back(value(key).empty() ? key : fmt::format("{}={}", key, value(key)));
    return fmt::format("{}", fmt::join(parts, ","));
  }

  bool has(const std::string& key) const { return values_.contains(key); }
  const std::string& value(const std::string& key) const { return values_.at(key); }

  /// Throws if there is a part that this shape of load does not have.
  void refuse(std::string_view shape, std::initializer_list<const char*> others) const {
    for (const char* key : others)
      if (has(key))
        throw UsageError(fmt::format("{} does not take {}",
                                     are_options_ ? shape : fmt::format("load: {}", shape), written(key)),
                         "it belongs to another shape of load", fmt::format("leave out {}", written(key)));
  }

  /// Returns a part's name as errors begin with it.
  std::string name(std::string_view key) const {
    return are_options_ ? written(key) : fmt::format("load: {}", key);
  }
  std::string written(std::string_view key) const {
    return fmt::format("{}{}", are_options_ ? "--" : "", key);
  }
  std::string written(std::string_view key, std::string_view value) const {
    return fmt::format("{}{}{}", written(key), are_options_ ? " " : "=", value);
  }

  UsageError no_shape(std::string_view why) const {
    return UsageError(
        are_options_ ? "no option says what the load does" : "load: the spec does not say what the load does",
        why,
        fmt::format("try {}{}{}, or {}, or {}", written("on", "1s"), are_options_ ? " " : ",",
                    written("off", "1s"), written("constant"), written("trace", "FILE")));
  }

 private:
  void add(std::string_view part) {
    const std::size_t sign = part.find('=');
    const std::string key(part.substr(0, sign));
    if (std::ranges::find(keys, key) == keys.end()) throw unknown_name("part of a load", key, keys);
    const bool has_value = sign != std::string_view::npos;
    if (has_value == (key == "constant"))
      throw has_value
          ? UsageError("load: constant has a value", "it takes none", "write constant")
          : UsageError(fmt::format("load: {} has no value", key), "", fmt::format("write {}=...", key));
    const std::string value(has_value ? part.substr(sign + 1) : "");
    if (!values_.emplace(key, value).second)
      throw UsageError(fmt::format("load: {} is given twice", key), "", "give it once");
  }

  bool are_options_ = false;
  std::map<std::string, std::string> values_;
};

template <class Number>
Number natural(const std::string& what, std::string_view text) {
  const std::optional<Number> number = parse_integer<Number>(text);
  if (!number || text.starts_with('-'))
    throw UsageError(fmt::format("{} is '{}'", what, text), "it must be a whole number, 0 or more");
  return *number;
}

double length_s(const Parts& parts, const std::string& key, const char* other) {
  constexpr double least_s = 1e-3;
  if (!parts.has(key))
    throw UsageError(fmt::format("{} is missing", parts.name(key)),
                     fmt::format("{} is given, and a cycle needs both", parts.written(other)),
                     "add " + parts.written(key, "1s"));
  const double value_s = duration_s(parts.name(key), parts.value(key));
  if (value_s < least_s)
    throw UsageError(fmt::format("{} is {}", parts.name(key), parts.value(key)), "it must be at least 1ms",
                     "for a constant load give " + parts.written("constant"));
  return value_s;
}

void read_phase(LoadSpec& spec, const Parts& parts) {
  const std::string& text = parts.value("phase");
  const std::string name = parts.name("phase");
  spec.is_phase_random = text == "random";
  if (spec.is_phase_random) return;
  const double cycle_s = spec.on_s + spec.off_s;
  if (!text.empty() && text.find_first_of("0123456789.") != 0)
    throw UsageError(fmt::format("{} is '{}'", name, text), "it must be a duration, or random",
                     "try " + parts.written("phase", "250ms"));
  spec.phase_s = duration_s(name, text);
  if (spec.phase_s >= cycle_s)
    throw UsageError(fmt::format("{} is {}", name, text),
                     fmt::format("a cycle is {} long", short_duration_text(cycle_s)), "give less");
}

void read_on_off(LoadSpec& spec, const Parts& parts) {
  spec.on_s = length_s(parts, "on", "off");
  spec.off_s = length_s(parts, "off", "on");
  if (parts.has("phase")) read_phase(spec, parts);
}

void read_shape(LoadSpec& spec, const Parts& parts) {
  if (parts.has("trace")) {
    parts.refuse("a trace", {"on", "off", "constant", "share", "phase"});
    spec.shape = LoadSpec::Shape::trace;
    spec.steps = read_load_trace(parts.value("trace"));
  } else if (parts.has("constant")) {
    parts.refuse("a constant load", {"on", "off", "phase"});
    spec.shape = LoadSpec::Shape::constant;
  } else if (parts.has("on") || parts.has("off")) {
    read_on_off(spec, parts);
  } else {
    throw parts.no_shape(fmt::format("none of {}, {} and {} is given", parts.written("on"),
                                     parts.written("constant"), parts.written("trace")));
  }
}

/// Adds one part of a list of ranks: `5` or `0-3`.
void add_ranks(std::vector<int>& ranks, std::string_view part) {
  constexpr int most = 1 << 20;
  const std::size_t dash = part.find('-');
  const int first = natural<int>("load: where", part.substr(0, dash));
  const int last =
      dash == std::string_view::npos ? first : natural<int>("load: where", part.substr(dash + 1));
  if (last < first || last > most)
    throw UsageError(fmt::format("load: where is '{}'", part), "ranks are counted upwards", "try 0-3+5");
  for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
}

void read_where(LoadSpec& spec, const std::string& text) {
  if (text == "workers") return;
  spec.where = text == "all" ? LoadSpec::Where::all : LoadSpec::Where::listed;
  if (text == "all") return;
  if (text.empty() || text.find_first_not_of("0123456789-+") != std::string::npos) {
    const std::vector<std::string> names{"workers", "all"};
    throw UsageError(fmt::format("load: where is '{}'", text), "workers, all, or ranks as 0-3+5",
                     did_you_mean(text, names));
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    add_ranks(spec.ranks, std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  std::ranges::sort(spec.ranks);
}

LoadSpec spec_of(const Parts& parts) {
  LoadSpec spec;
  spec.text = parts.text();
  read_shape(spec, parts);
  if (parts.has("share")) spec.share = parse_share(parts.name("share"), parts.value("share"));
  if (parts.has("seed")) spec.seed = natural<std::uint64_t>(parts.name("seed"), parts.value("seed"));
  if (parts.has("where")) read_where(spec, parts.value("where"));
  return spec;
}

double random_phase_s(const LoadSpec& spec, int rank) {
  std::mt19937_64 generator(spec.seed);
  generator.discard(static_cast<unsigned long long>(rank));
  return fraction(generator) * (spec.on_s + spec.off_s);
}

}  // namespace

bool LoadSpec::loads(int rank, bool computes) const {
  if (where == Where::listed) return std::ranges::binary_search(ranks, rank);
  return where == Where::all || computes;
}

LoadPlan LoadSpec::plan_for(int rank) const {
  if (shape == Shape::constant) return LoadPlan::constant(share);
  if (shape == Shape::trace) return LoadPlan::trace(steps);
  return LoadPlan::on_off(on_s, off_s, share, is_phase_random ? random_phase_s(*this, rank) : phase_s);
}

std::string load_trace_file(std::string_view text) {
  constexpr std::string_view key = "trace=";
  const std::string parts = "," + std::string(text);
  const std::size_t begin = parts.find("," + std::string(key));
  if (begin == std::string::npos) return {};
  const std::string file = parts.substr(begin + 1 + key.size());
  return file.substr(0, file.find(','));
}

LoadSpec parse_load_spec(std::string_view text) {
  LoadSpec spec = spec_of(Parts(text));
  spec.text = text;
  return spec;
}

LoadSpec load_of_options(const std::map<std::string, std::string>& parts) {
  return spec_of(Parts(parts));
}

void require_ranks(const LoadSpec& spec, int ranks) {
  if (spec.ranks.empty() || spec.ranks.back() < ranks) return;
  throw UsageError(
      fmt::format("load: there is no rank {} to disturb", spec.ranks.back()),
      fmt::format("this run has {}, from 0", ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks)),
      "say where=workers, or other ranks");
}

}  // namespace loadshare
