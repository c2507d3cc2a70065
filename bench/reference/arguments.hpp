#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace loadshare::bench {

/// The command line of a small program: pairs of `--name value`, each with a default.
class Arguments {
 public:
  using Defaults = std::map<std::string, std::string>;

  /// Throws UsageError on a name that has no default, and on a name without a value.
  Arguments(int argc, const char* const* argv, Defaults defaults);

  const std::string& text(const std::string& name) const { return values_.at(name); }
  /// Throws UsageError if the value is not a whole number of at least `least`.
  Index number(const std::string& name, Index least) const;
  int small_number(const std::string& name, int least) const;

 private:
  Defaults values_;
};

/// Returns "[1.5, 2]", for the programs' line of JSON.
std::string json_list(const std::vector<double>& numbers);

}  // namespace loadshare::bench
