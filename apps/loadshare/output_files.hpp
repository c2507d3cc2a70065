#pragma once

#include <string>
#include <vector>

namespace loadshare::tool {

/// Where a command's figures go besides the text; an empty path is an output not asked for.
struct FigureFiles {
  std::string json;  ///< a file, or "-" for stdout
  std::string plot;  ///< a file that ends in .svg or .png
};

/// Throws UsageError where one of them could not be written, is the other one, or is one of the files that
/// are read.
void require_outputs(const FigureFiles& outputs, const std::vector<std::string>& read);

}  // namespace loadshare::tool
