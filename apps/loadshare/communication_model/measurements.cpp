#include "apps/loadshare/communication_model/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/common/number.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

double number_at(const CsvTable& table, const CsvRow& row, std::size_t column) {
  const std::string& text = row.cells[column].text;
  if (const std::optional<double> value = parse_number(text)) return *value;
  throw UsageError(fmt::format("{}: '{}' is no finite number", table.place(row, column), text),
                   fmt::format("it stands in column '{}'", table.header.cells[column].text),
                   "write it as 12.5, or leave the row out");
}

communication::Sample sample_of(const CsvTable& table, const CsvRow& row, const Columns& columns) {
  const auto refuse = [&](std::size_t column, const char* what, const char* why) {
    return UsageError(fmt::format("{}: the {} is {}", table.place(row, column), what, row.cells[column].text),
                      why, "leave the row out");
  };
  const double size = number_at(table, row, columns.size);
  if (size < 0) throw refuse(columns.size, "size", "it is 0 or more");
  const double time = number_at(table, row, columns.time);
  if (time <= 0) throw refuse(columns.time, "time", "it is more than 0, or the clock was too coarse");
  return {size, time * columns.time_unit_s};
}

std::vector<std::string> names_of(const CsvRow& row, const std::vector<std::size_t>& columns) {
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(row.cells[column].text);
  return names;
}

}  // namespace

Measurements measurements_of(const CsvTable& table, const ColumnWishes& wishes) {
  const Columns columns = choose_columns(table, wishes);
  Measurements all{table.header.cells[columns.size].text, names_of(table.header, columns.groups), {}};
  for (const CsvRow& row : table.rows) {
    const std::vector<std::string> names = names_of(row, columns.groups);
    auto group = std::ranges::find(all.groups, names, &MeasuredGroup::names);
    if (group == all.groups.end())
      group = all.groups.insert(group, {names, {}, table.place(row, columns.size)});
    group->samples.push_back(sample_of(table, row, columns));
  }
  return all;
}

}  // namespace loadshare::tool
