#include "experiments/sweep/labs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>

#include "experiments/lab/lab_file.hpp"
#include "experiments/lab/store.hpp"
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

bool is_for(const std::string& name, const std::string& user) {
  const auto state = lab::load_state(name);
  return state && std::ranges::find(state->users, user) != state->users.end();
}

}  // namespace

std::string lab_name(const std::string& lab_file) {
  return lab::read_lab(yaml::load(lab_file)).name;
}

void Labs::need(const std::string& lab_file) {
  leave(lab_file);
  // Also where it is there: the tool compares the files, and mends one that is half up.
  const Outcome outcome = run_tool({tool_, "lab", "up", lab_file, "--for", user_});
  if (outcome.status != Status::ok)
    throw Error(ExitCode::run_failed, fmt::format("the lab {} does not come up", names_.back()),
                outcome.error);
}

void Labs::leave(const std::string& lab_file) {
  const std::string name = lab_name(lab_file);
  std::erase(names_, name);
  names_.push_back(name);
}

Labs::~Labs() {
  for (const std::string& name : names_) try {
      if (!is_for(name, user_)) continue;
      const Outcome outcome = run_tool({tool_, "lab", "down", "--name", name, "--for", user_});
      if (outcome.status != Status::ok)
        fmt::print(stderr, "loadshare: the lab {} does not go down ({}) run: loadshare lab down --name {}\n",
                   name, outcome.error, name);
    } catch (const std::exception& error) {
      fmt::print(stderr, "loadshare: the lab {} does not go down ({})\n", name, error.what());
    }
}

}  // namespace loadshare::sweep
