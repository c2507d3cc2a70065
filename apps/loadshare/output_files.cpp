#include "apps/loadshare/output_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "apps/common/own_files.hpp"
#include "runtime/timing/output_path.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

void require_plot_name(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".svg" && ending != ".png")
    throw UsageError(fmt::format("--plot is '{}'", path), "its ending says which kind of image",
                     "end it in .svg or .png");
  require_writable(path, "the plot");
}

}  // namespace

void require_outputs(const FigureFiles& outputs, const std::vector<std::string>& read) {
  std::vector<NamedFile> data;
  for (const std::string& file : read) data.push_back({"FILE", file});
  const bool has_json_file = !outputs.json.empty() && outputs.json != "-";
  require_own_files(data, {{"--json", has_json_file ? outputs.json : ""}, {"--plot", outputs.plot}});
  if (has_json_file) require_writable(outputs.json, "the JSON");
  if (!outputs.plot.empty()) require_plot_name(outputs.plot);
}

}  // namespace loadshare::tool
