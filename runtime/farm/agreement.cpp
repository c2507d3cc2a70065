#include "runtime/farm/agreement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <sstream>
#include <vector>

#include "base/io/process.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare {
namespace {

/// Ends a name or a value in a message; no word of a command line contains it.
constexpr char term_end = '\0';

std::string shown(const Terms& terms, const std::string& name) {
  const auto typed = terms.typed.find(name);
  if (typed != terms.typed.end()) return typed->second;
  const auto value = terms.values.find(name);
  return value == terms.values.end() ? "" : value->second;
}

std::string encode(const Terms& terms) {
  std::string text = terms.program + term_end;
  for (const auto& [name, value] : terms.values)
    text += name + term_end + value + term_end + shown(terms, name) + term_end;
  return text;
}

Terms decode_terms(const std::string& text) {
  Terms terms;
  std::istringstream parts(text);
  std::getline(parts, terms.program, term_end);
  for (std::string name, value; std::getline(parts, name, term_end);) {
    std::getline(parts, value, term_end);
    terms.values[name] = value;
    std::getline(parts, terms.typed[name], term_end);
  }
  return terms;
}

/// "rank 3", "ranks 0-2, 5"; ascending.
std::string ranks_text(const std::vector<int>& ranks) {
  constexpr std::size_t most_ranges = 8;
  std::vector<std::string> ranges;
  for (std::size_t first = 0, end = 0; first < ranks.size(); first = end) {
    for (end = first + 1; end < ranks.size() && ranks[end] == ranks[end - 1] + 1;) ++end;
    if (ranges.size() == most_ranges) {
      ranges.emplace_back("...");
      break;
    }
    ranges.push_back(end - first == 1 ? fmt::format("{}", ranks[first])
                                      : fmt::format("{}-{}", ranks[first], ranks[end - 1]));
  }
  return fmt::format("rank{} {}", ranks.size() > 1 ? "s" : "", fmt::join(ranges, ", "));
}

/// A rank's value of an option, and how it is shown.
struct RankValue {
  std::string value;
  std::string shown;
};

/// The values with their ranks, as "0 on rank 0, 8 on rank 1"; empty: all ranks have the same.
std::string different_values(const std::vector<RankValue>& by_rank) {
  std::vector<RankValue> values;  // in the order of their first ranks
  std::map<std::string, std::vector<int>> ranks;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    std::vector<int>& with_value = ranks[by_rank[rank].value];
    if (with_value.empty()) values.push_back(by_rank[rank]);
    with_value.push_back(static_cast<int>(rank));
  }
  if (values.size() < 2) return {};
  constexpr std::size_t most_shown = 4;
  std::vector<std::string> texts;
  for (const auto& [value, text] : values) {
    if (texts.size() == most_shown) {
      texts.emplace_back("...");
      break;
    }
    texts.push_back(fmt::format("{} on {}", text.empty() ? "not given" : text, ranks_text(ranks[value])));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<RankValue> values_of(const std::string& name, std::span<const Terms> by_rank) {
  std::vector<RankValue> values;
  for (const Terms& terms : by_rank) {
    const auto found = terms.values.find(name);
    values.push_back({found == terms.values.end() ? "" : found->second, shown(terms, name)});
  }
  return values;
}

}  // namespace

std::string own_program() {
  return fmt::format("{} {}, build {:016x}", program_invocation_short_name, LOADSHARE_VERSION, own_build());
}

std::optional<ErrorText> disagreement(std::span<const Terms> by_rank) {
  std::vector<RankValue> programs;
  for (const Terms& terms : by_rank) programs.push_back({terms.program, terms.program});
  if (const std::string which = different_values(programs); !which.empty())
    return ErrorText{"ranks run different programs", which, "start one program with one mpirun"};
  constexpr std::size_t most_shown = 3;
  std::set<std::string> names;
  for (const Terms& terms : by_rank)
    for (const auto& [name, value] : terms.values) names.insert(name);
  std::vector<std::string> differences;
  for (const std::string& name : names)
    if (const std::string which = different_values(values_of(name, by_rank)); !which.empty())
      differences.push_back(fmt::format("{} is {}", name, which));
  if (differences.empty()) return std::nullopt;
  const std::size_t more = differences.size() - std::min(differences.size(), most_shown);
  differences.resize(differences.size() - more);
  std::string why = fmt::format("{}", fmt::join(differences, "; "));
  if (more > 0) why += fmt::format("; and {} more", more);
  return ErrorText{"ranks have different options", std::move(why), "give every rank the same options"};
}

void require_agreement(const Terms& terms) {
  std::vector<Terms> by_rank;
  for (const std::string& text : differing_texts(encode(terms))) by_rank.push_back(decode_terms(text));
  if (std::optional<ErrorText> text = disagreement(by_rank))
    throw AgreedError(ExitCode::usage, std::move(*text));
}

}  // namespace loadshare
