#include "apps/loadshare/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "base/io/files.hpp"

namespace loadshare::tool {
namespace {

[[noreturn]] void throw_failed(int error) {
  if (error == EPIPE) throw ReaderGone();
  throw Error(ExitCode::run_failed, "cannot write to stdout", std::strerror(error));
}

void require_plot_name(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".svg" && ending != ".png")
    throw UsageError(fmt::format("--plot is '{}'", path), "its ending says which kind of image",
                     "end it in .svg or .png");
  require_writable(path, "the plot");
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw_failed(errno);
}

void finish_printing() {
  if (std::fflush(stdout) != 0) throw_failed(errno);
}

void write_json(const std::string& path, const std::string& text) {
  if (path == "-") return print(text);
  replace_file(path, text);
}

void require_outputs(const FigureFiles& outputs, const std::vector<std::string>& read) {
  std::vector<NamedFile> data;
  for (const std::string& file : read) data.push_back({"FILE", file});
  const bool has_json_file = !outputs.json.empty() && outputs.json != "-";
  require_own_files(data, {{"--json", has_json_file ? outputs.json : ""}, {"--plot", outputs.plot}});
  if (has_json_file) require_writable(outputs.json, "the JSON");
  if (!outputs.plot.empty()) require_plot_name(outputs.plot);
}

}  // namespace loadshare::tool
