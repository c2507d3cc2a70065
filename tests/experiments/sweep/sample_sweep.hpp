#pragma once

#include <memory>
#include <string>

#include "experiments/sweep/spec.hpp"
#include "experiments/sweep/sweep_file.hpp"
#include "experiments/yaml/document.hpp"
#include "schedulers/table.hpp"

namespace loadshare::sweep {

/// A sweep file with these keys of one experiment `e`, and these others at the top.
inline std::string sweep_text(const std::string& experiment_keys, const std::string& file_keys = "") {
  return "schema: 1\ntitle: A test\nprogram: matmul\n" + file_keys + "experiments:\n  - name: e\n" +
         experiment_keys;
}

/// Returns the schedulers of the project's own programs, including `auto`, which is never made here.
inline SchedulerTable own_schedulers() {
  SchedulerTable table = built_in_schedulers();
  table.add({.name = "auto", .description = "", .parameters = {}, .make = [](const auto&, const auto&) {
               return std::unique_ptr<ChunkScheduler>();
             }});
  return table;
}

inline SweepSpec sweep_of(const std::string& experiment_keys, const std::string& file_keys = "",
                          Setting setting = Setting::full) {
  return read_sweep(yaml::read(sweep_text(experiment_keys, file_keys), "f.yaml"), setting, own_schedulers());
}

}  // namespace loadshare::sweep
