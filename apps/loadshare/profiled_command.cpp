#include "apps/loadshare/profiled_command.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "experiments/lab/mpirun_words.hpp"

namespace loadshare::tool {
namespace {

constexpr const char* preload = "LD_PRELOAD";

/// By these mpirun knows that a batch system (Slurm, PBS, LSF, Grid Engine) has given it hosts.
constexpr std::array batch_variables{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PE_HOSTFILE"};

/// mpirun's words for one of its programs, from `begin` on, with the user's own `-x LD_PRELOAD` merged into
/// ours: of two such words the last would win.
class Context {
 public:
  Context(std::vector<std::string>& words, std::map<std::string, std::string> variables)
      : words_(words), begin_(words.size()), variables_(std::move(variables)) {}

  void add(const std::string& word) {
    if (words_.size() > begin_ && words_.back() == "-x" && is_preload(word)) {
      words_.pop_back();
      const std::size_t equals = word.find('=');
      if (equals != std::string::npos) variables_[preload] += ":" + word.substr(equals + 1);
    } else {
      words_.push_back(word);
    }
  }

  void finish() {
    std::vector<std::string> given;
    for (const auto& [name, value] : variables_) given.insert(given.end(), {"-x", name + "=" + value});
    words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(begin_), given.begin(), given.end());
  }

 private:
  bool is_preload(const std::string& word) const {
    return variables_.contains(preload) && (word == preload || word.starts_with(std::string(preload) + "="));
  }

  std::vector<std::string>& words_;
  std::size_t begin_;
  std::map<std::string, std::string> variables_;
};

}  // namespace

ProfiledCommand profiled(const std::vector<std::string>& words,
                         const std::map<std::string, std::string>& variables) {
  const auto launcher = std::ranges::find_if(words, lab::is_launcher);
  if (launcher == words.end()) return {words, variables};
  ProfiledCommand command;
  command.words.assign(words.begin(), launcher + 1);
  for (auto begin = launcher + 1;; ++begin) {
    const auto end = std::find(begin, words.end(), ":");
    Context context(command.words, variables);
    std::for_each(begin, end, [&](const std::string& word) { context.add(word); });
    context.finish();
    if (end == words.end()) return command;
    command.words.push_back(*end);
    begin = end;
  }
}

bool may_run_elsewhere(const std::vector<std::string>& words) {
  if (std::ranges::none_of(words, lab::is_launcher)) return false;
  return lab::may_name_hosts(words) ||
         std::ranges::any_of(batch_variables, [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace loadshare::tool
