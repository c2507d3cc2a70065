#include "apps/loadshare/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "experiments/report/launch.hpp"

namespace loadshare::tool {
namespace {

[[noreturn]] void throw_failed(int error) {
  if (error == EPIPE) throw ReaderGone();
  throw Error(ExitCode::run_failed, "cannot write to stdout", error_text(error));
}

constexpr int note_indent = 6;

}  // namespace

void print_exactly(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw_failed(errno);
}

void print(std::string_view text) {
  print_exactly(fitted_to(STDOUT_FILENO, text));
}

void finish_printing() {
  if (std::fflush(stdout) != 0) throw_failed(errno);
}

void write_json(const std::string& path, const std::string& text) {
  if (path == "-") return print_exactly(text);
  replace_file(path, text);
}

void answer(const std::string& json, std::string_view what, const std::string& text,
            const std::string& json_text) {
  if (json == "-")
    show(stderr, what, fitted_to_stderr(text));
  else
    show(stdout, what, fitted_to(STDOUT_FILENO, text));
  if (!json.empty()) write_json(json, json_text);
  finish_printing();
}

void answer(const FigureFiles& outputs, std::string_view what, const std::string& text,
            const std::string& json_text, const char* plotter) {
  answer(outputs.json, what, text, json_text);
  if (!outputs.plot.empty()) report::run_python({plotter, outputs.plot}, json_text);
}

std::string file_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void require_ending(std::string_view option, const std::string& path,
                    const std::vector<std::string>& endings) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (path.empty() || std::ranges::find(endings, ending) != endings.end()) return;
  throw UsageError(fmt::format("{} is '{}'", option, path),
                   "the ending of the name selects the kind of image",
                   fmt::format("end it in {}", fmt::join(endings, " or ")));
}

std::vector<NamedFile> files_of_runs(const char* option, const std::vector<std::string>& paths) {
  std::vector<NamedFile> files;
  for (const std::string& path : paths)
    for (const char* of_sweep : {"", "/runs.jsonl", "/sweep.json"})
      files.push_back({option, path + of_sweep});
  return files;
}

void require_outputs(const FigureFiles& outputs, const std::vector<std::string>& read,
                     const std::vector<NamedFile>& more) {
  std::vector<NamedFile> data = files_of_runs("FILE", read);
  data.insert(data.end(), more.begin(), more.end());
  loadshare::require_outputs(data,
                             {{"--json", outputs.json, "the JSON"}, {"--plot", outputs.plot, "the plot"}});
  require_ending("--plot", outputs.plot, {".svg", ".png"});
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += wrapped("note  " + note, metrics_width, note_indent) + "\n";
  return text;
}

}  // namespace loadshare::tool
