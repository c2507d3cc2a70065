#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "experiments/lab/entry.hpp"
#include "experiments/lab/store.hpp"
#include "runtime/records/progress.hpp"

namespace {

using loadshare::UsageError;
namespace lab = loadshare::lab;

/// Handles `shell LAB HOST WORDS...`, as mpirun calls its remote shell, and `rank LAB PROGRAM...`.
[[noreturn]] void enter(const std::vector<std::string>& words) {
  if (words.size() < 3)
    throw UsageError("usage: loadshare_lab_agent shell LAB HOST WORD... | rank LAB PROGRAM...");
  const lab::LabState state = lab::find_lab(words[1]);
  const std::vector<std::string> rest(words.begin() + 2, words.end());
  if (words[0] == "rank") lab::run_rank(state, rest);
  lab::run_daemon(state, rest.front(), {rest.begin() + 1, rest.end()});
}

}  // namespace

int main(int argc, char** argv) {
  try {
    enter({argv + 1, argv + argc});
  } catch (const loadshare::Error& error) {
    loadshare::write_stderr(fmt::format("loadshare_lab_agent: {}\n", error.what()));
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    loadshare::write_stderr(fmt::format("loadshare_lab_agent: {}\n", error.what()));
    return static_cast<int>(loadshare::ExitCode::run_failed);
  }
}
