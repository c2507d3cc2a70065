#include "apps/loadshare/profiled_command.hpp"

#include <algorithm>

#include "experiments/lab/mpirun_words.hpp"

namespace loadshare::tool {

ProfiledCommand profiled(const std::vector<std::string>& words,
                         const std::map<std::string, std::string>& variables) {
  const auto launcher = std::ranges::find_if(words, lab::is_launcher);
  if (launcher == words.end()) return {words, variables};
  ProfiledCommand command;
  command.words.assign(words.begin(), launcher);
  for (auto word = launcher; word != words.end(); ++word) {
    command.words.push_back(*word);
    if (word != launcher && *word != ":") continue;
    for (const auto& [name, value] : variables)
      command.words.insert(command.words.end(), {"-x", name + "=" + value});
  }
  return command;
}

}  // namespace loadshare::tool
