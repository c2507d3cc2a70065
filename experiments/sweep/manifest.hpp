#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// What sweep.json says of a sweep: every experiment with its points, whichever of them are run, and where
/// and with what version it was begun.
nlohmann::ordered_json manifest_of(const SweepSpec& spec, const std::string& version);

/// In what the sweep of an older manifest differs so that their runs must not be mixed: "experiment fig3a has
/// other options"; empty where they are the same. Titles, repeats and timeouts may change.
std::string difference(const nlohmann::ordered_json& older, const nlohmann::ordered_json& newer);

}  // namespace loadshare::sweep
