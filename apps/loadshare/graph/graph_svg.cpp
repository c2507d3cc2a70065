#include "apps/loadshare/graph/graph_svg.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/lab/subprocess.hpp"
#include "experiments/sweep/child.hpp"
#include "runtime/host/descriptor.hpp"
#include "runtime/timing/output_path.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

constexpr double patience_s = 60;

/// A folder that is gone with its owner.
class TemporaryFolder final {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "loadshare-graph-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw_errno("cannot make a temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void run_dot(const sweep::Words& command) {
  sweep::Child dot(command);
  for (double waited_s = 0; !dot.wait(1);)
    if (++waited_s >= patience_s)
      throw Error(ExitCode::run_failed, "dot does not end", fmt::format("it was given {} s", patience_s),
                  "draw a smaller graph");
  if (const int code = dot.finish(); code != 0)
    throw Error(ExitCode::run_failed, fmt::format("dot ended with {}", code), dot.last_errors());
}

}  // namespace

void require_dot() {
  if (lab::find_program("dot").empty())
    throw UsageError("there is no program 'dot'", "it draws the graph", "install the package graphviz");
}

std::string svg_of_dot(const std::string& dot) {
  require_dot();
  const TemporaryFolder folder;
  replace_file(folder.file("graph.dot"), [&dot](const ByteSink& sink) { sink(dot); });
  run_dot({lab::find_program("dot"), "-Tsvg", "-o", folder.file("graph.svg"), folder.file("graph.dot")});
  std::ostringstream content;
  content << std::ifstream(folder.file("graph.svg")).rdbuf();
  return content.str();
}

}  // namespace loadshare::tool
