#include "models/granularity/figures.hpp"

namespace loadshare::granularity {
namespace {

FigureEntry entry(std::string key, Figure Figures::*member) {
  return {std::move(key), [member](Figures& figures) -> Figure& { return figures.*member; }};
}

FigureEntry entry(std::string key, std::size_t kind, Figure ClassicalFigures::*member) {
  return {std::move(key),
          [kind, member](Figures& figures) -> Figure& { return figures.classical[kind].*member; }};
}

void add_classical(std::vector<FigureEntry>& table, std::size_t kind) {
  const std::string name = classical_kinds[kind];
  table.push_back(entry("sequential_" + name + "_s", kind, &ClassicalFigures::sequential_s));
  table.push_back(entry("speedup_" + name, kind, &ClassicalFigures::speedup));
  table.push_back(entry("E_" + name, kind, &ClassicalFigures::efficiency));
  table.push_back(entry("E_minus_" + name, kind, &ClassicalFigures::difference));
  table.push_back(entry("E_over_" + name, kind, &ClassicalFigures::relative_difference));
  table.push_back(entry("extra_computing_" + name, kind, &ClassicalFigures::extra_computing));
  table.push_back(entry("overhead_" + name + "_s", kind, &ClassicalFigures::overhead_s));
  table.push_back(entry("E_H_" + name, kind, &ClassicalFigures::efficiency_h));
  table.push_back(entry("E_H_minus_" + name, kind, &ClassicalFigures::difference_h));
  table.push_back(entry("E_H_over_" + name, kind, &ClassicalFigures::relative_difference_h));
}

std::vector<FigureEntry> make_table() {
  std::vector<FigureEntry> table{
      entry("processors", &Figures::processors),
      entry("run_s", &Figures::run_s),
      entry("cost_s", &Figures::cost_s),
      entry("computing_s", &Figures::computing_s),
      entry("communicating_s", &Figures::communicating_s),
      entry("idle_s", &Figures::idle_s),
      entry("stolen_s", &Figures::stolen_s),
      entry("overhead_s", &Figures::overhead_s),
      entry("G", &Figures::granularity),
      entry("G_communication", &Figures::granularity_communication),
      entry("G_without_stolen", &Figures::granularity_without_stolen),
      entry("E", &Figures::efficiency),
      entry("E_without_stolen", &Figures::efficiency_without_stolen),
      entry("speedup", &Figures::speedup),
      entry("load_balance", &Figures::load_balance),
      entry("communication_efficiency", &Figures::communication_efficiency),
      entry("parallel_efficiency", &Figures::parallel_efficiency),
      entry("stolen", &Figures::stolen),
      entry("unaccounted", &Figures::unaccounted),
      entry("virtual_processors", &Figures::virtual_processors),
      entry("sequential_on_reference_s", &Figures::sequential_on_reference_s),
      entry("speedup_H", &Figures::speedup_h),
      entry("E_H", &Figures::efficiency_h),
  };
  for (std::size_t kind = 0; kind < classical_kinds.size(); ++kind) add_classical(table, kind);
  return table;
}

}  // namespace

std::span<const FigureEntry> figure_table() {
  static const std::vector<FigureEntry> table = make_table();
  return table;
}

}  // namespace loadshare::granularity
