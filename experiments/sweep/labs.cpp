#include "experiments/sweep/labs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "experiments/sweep/process.hpp"
#include "experiments/yaml/document.hpp"
#include "schedulers/error.hpp"

namespace loadshare::sweep {
namespace {

constexpr double longest_s = 60;

/// A lab goes up and down as a whole; an interrupt waits for that.
const std::atomic<bool> never_interrupted = false;

Outcome run_tool(const Words& words) {
  return ProcessExecutor(never_interrupted).run(words, longest_s);
}

/// Where the lab keeps what it has to know to go down again.
bool is_there(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path("/run/loadshare/labs") / name, ignored);
}

}  // namespace

std::string lab_name(const std::string& lab_file) {
  return yaml::load(lab_file).map().at("name").text();
}

void Labs::need(const std::string& lab_file) {
  const std::string name = lab_name(lab_file);
  if (std::ranges::find(brought_up_, name) != brought_up_.end()) return;
  const bool was_there = is_there(name);
  // Also where it is there: the tool compares the files, and mends one that is half up.
  const Outcome outcome = run_tool({tool_, "lab", "up", lab_file});
  if (!was_there) brought_up_.push_back(name);
  if (outcome.status != Status::ok)
    throw Error(ExitCode::run_failed, fmt::format("the lab {} does not come up", name), outcome.error);
}

Labs::~Labs() {
  for (const std::string& name : brought_up_) try {
      const Outcome outcome = run_tool({tool_, "lab", "down", "--name", name});
      if (outcome.status != Status::ok)
        fmt::print(stderr, "loadshare: the lab {} does not go down ({}) run: loadshare lab down --name {}\n",
                   name, outcome.error, name);
    } catch (const std::exception& error) {
      fmt::print(stderr, "loadshare: the lab {} does not go down ({})\n", name, error.what());
    }
}

}  // namespace loadshare::sweep
