#include "apps/loadshare/command.hpp"

#include <vector>

namespace loadshare::tool {

std::span<const CommandEntry> commands() {
  static const std::vector<CommandEntry> table{
      {"chunks", "Print the chunk sizes that a scheduler hands out, in order", make_chunks_command},
      {"schedulers", "List the schedulers with their parameters", make_schedulers_command},
      {"doctor", "Say what would make runs slow here; under mpirun, for these ranks (one rank a host speaks)",
       make_doctor_command},
      {"load", "Keep a processor busy for a while, on and off: a background load by hand", make_load_command},
      {"lab", "Make a network of workstations on this machine, and run programs in it", make_lab_command},
      {"sweep", "Run the experiments of a YAML file, and keep every run", make_sweep_command},
      {"report", "Make a page of figures, verdicts and tables of what sweeps have measured",
       make_report_command},
      {"profile", "Run any MPI program, and keep where its ranks' time went", make_profile_command},
      {"metrics", "Say how well runs used their processors, and where the rest went", make_metrics_command},
      {"survey", "Measure how fast the ranks' hosts are now, and what of them is free, under mpirun",
       make_survey_command},
      {"calibrate", "Measure what messages and chunks cost between these ranks, under mpirun",
       make_calibrate_command},
      {"calibration", "Show what calibrate has measured", make_calibration_command},
      {"model", "Lay curves through measured message times, and foresee others", make_model_command},
      {"graph", "Say what a program takes, from the graph of its steps and messages", make_graph_command},
      {"predict", "Say beforehand what schedulers would make of a loop, and which is best",
       make_predict_command},
      {"compare", "Hold predictions against what sweeps have measured", make_compare_command},
  };
  return table;
}

}  // namespace loadshare::tool
