#pragma once

#include "experiments/sweep/layers.hpp"
#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// A scalar of a file as an option's value; throws UsageError where it is no scalar or empty.
Scalar read_scalar(const yaml::Value& value);

/// `file:line:column: ` of a value, to put in front of an error that is found later.
std::string place_of(const yaml::Value& value);

/// Throws UsageError where `name` cannot be an option, or is one that the sweep sets itself.
void require_option_name(const yaml::Value& value, const std::string& name);

/// Throws UsageError where the value of this option can be known to be wrong for `program`.
void check_option(const yaml::Value& value, const std::string& name, const std::string& program);

/// Reads program, launch, options, load and repeat into `experiment`; `place` is where what is missing is
/// told.
void read_settings(Layers& layers, const yaml::Value& place, Experiment& experiment);

}  // namespace loadshare::sweep
