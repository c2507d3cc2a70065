#pragma once

#include <memory>

#include "apps/loadshare/commands/command.hpp"

namespace loadshare::tool {

// One a file in this folder.
std::unique_ptr<Command> make_chunks_command();
std::unique_ptr<Command> make_schedulers_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_load_command();
std::unique_ptr<Command> make_lab_command();
std::unique_ptr<Command> make_sweep_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_profile_command();
std::unique_ptr<Command> make_metrics_command();
std::unique_ptr<Command> make_survey_command();
std::unique_ptr<Command> make_calibrate_command();
std::unique_ptr<Command> make_calibration_command();
std::unique_ptr<Command> make_model_command();
std::unique_ptr<Command> make_graph_command();
std::unique_ptr<Command> make_predict_command();
std::unique_ptr<Command> make_compare_command();

}  // namespace loadshare::tool
