#include "apps/synthetic/costs/file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/files.hpp"

namespace loadshare::synthetic {
namespace {

constexpr std::string_view blanks = " \t\r";

const std::string& path_of(const Spec& spec) {
  if (const std::string* const path = spec.given("path")) return *path;
  throw UsageError("cost file: no path", "the costs are read from a file", "write file:costs.txt");
}

std::string read(const Spec& spec) {
  return read_text_file(path_of(spec));
}

/// Reads a file's lines and counts them.
class LineReader {
 public:
  explicit LineReader(const std::string& path) : path_(path) {}

  void read(std::string_view line, std::vector<double>& costs_s) {
    ++number_;
    line_ = line;
    const std::size_t begin = line.find_first_not_of(blanks);
    if (begin == line.npos || line[begin] == '#') return;
    double cost_s = 0;
    const auto [end, error] = std::from_chars(line.data() + begin, line.data() + line.size(), cost_s);
    if (error != std::errc{}) fail(begin, "is not a number");
    const std::size_t rest = line.find_first_not_of(blanks, static_cast<std::size_t>(end - line.data()));
    if (rest != line.npos) fail(rest, "follows a cost");
    if (!(cost_s >= 0 && cost_s <= longest_cost_s)) fail(begin, "is not from 0 to 1e9 seconds");
    costs_s.push_back(cost_s);
  }

 private:
  [[noreturn]] void fail(std::size_t column, std::string_view what) const {
    const std::size_t end = line_.find_last_not_of(blanks) + 1;
    throw UsageError(fmt::format("{}:{}:{}: '{}' {}", path_, number_, column + 1,
                                 line_.substr(column, end - column), what),
                     "one cost in seconds a line", "write it as 0.0002");
  }

  const std::string& path_;
  std::string_view line_;
  std::size_t number_ = 0;
};

std::vector<double> parse(const std::string& path, std::string_view text) {
  std::vector<double> costs_s;
  LineReader reader(path);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.read(text.substr(0, end), costs_s);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return costs_s;
}

std::unique_ptr<Cost> make(const Spec& spec, const CostContext& context) {
  std::vector<double> costs_s = parse(path_of(spec), context.data);
  const auto count = static_cast<Index>(costs_s.size());
  if (count < context.iterations)
    throw UsageError(fmt::format("{} has too few costs", path_of(spec)),
                     fmt::format("{} for {} iterations", count, context.iterations),
                     count == 0 ? "give a file with one cost in seconds per line"
                                : fmt::format("use --iterations {}", count));
  return cost_by([costs_s = std::move(costs_s)](Index i) { return costs_s[static_cast<std::size_t>(i)]; });
}

}  // namespace

CostEntry file_entry() {
  return {"file",
          "read from a file: one cost in seconds a line, # before comment lines",
          {{"path", "(none)", "the file, on the master; commas and spaces are part of it", Extent::rest}},
          make,
          read};
}

}  // namespace loadshare::synthetic
