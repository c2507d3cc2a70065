#include "apps/loadshare/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <random>

#include "apps/loadshare/command.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/process.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "experiments/lab/entry.hpp"
#include "profiler/profile.hpp"
#include "runtime/records/progress.hpp"

namespace loadshare::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* ld_preload = "LD_PRELOAD";

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
      if (equals != std::string::npos) variables_[ld_preload] += ":" + word.substr(equals + 1);
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
    return variables_.contains(ld_preload) &&
           (word == ld_preload || word.starts_with(std::string(ld_preload) + "="));
  }

  std::vector<std::string>& words_;
  std::size_t begin_;
  std::map<std::string, std::string> variables_;
};

constexpr const char* library_name = "libloadshare_profile.so";

/// Beside the tool, in a build as installed: bin and lib, or what the system calls its lib.
fs::path find_library() {
  const fs::path top = fs::path(own_path()).parent_path().parent_path();
  for (const fs::path& folder : {top / "lib", top / LOADSHARE_LIBDIR})
    if (const fs::path library = folder / library_name; access(library.c_str(), R_OK) == 0) return library;
  throw UsageError(fmt::format("{} is missing", library_name),
                   fmt::format("it is not in {}", (top / "lib").string()),
                   "build or install it next to the tool");
}

/// LD_PRELOAD is a list that blanks and colons separate.
std::string preload(const fs::path& library) {
  if (library.string().find_first_of(" :") != std::string::npos)
    throw UsageError(fmt::format("cannot preload {}", library.string()),
                     "there are blanks or colons in its path", "move the tool elsewhere");
  const char* others = std::getenv("LD_PRELOAD");
  return others != nullptr && *others != 0 ? fmt::format("{}:{}", library.string(), others)
                                           : library.string();
}

/// A profile takes the place of an earlier one, and of nothing else.
void require_replaceable(const std::string& file) {
  std::error_code none;
  if (fs::exists(file, none)) {
    if (!fs::is_regular_file(file, none))
      throw UsageError(fmt::format("cannot write {}", file), "it is not a regular file",
                       "give another -o FILE");
    if (fs::file_size(file, none) > 0 && !profile::is_profile(file))
      throw UsageError(fmt::format("will not replace {}", file), "it is not a profile",
                       "give another -o FILE");
  }
  require_writable(file, "the profile");
}

/// Returns a number that identifies this command; never 0.
std::uint64_t fresh_command_id() {
  std::random_device dice;
  return std::uint64_t{dice()} << 32 | dice() | 1;
}

// Texts for stderr, because stdout is the program's. The ranks themselves report why they could not write a
// profile, so these texts must not contradict them.
constexpr const char* nowhere =
    "no profile was written (the messages above give the reason; without any, no rank called Open MPI's "
    "MPI_Init, or mpirun did not start the ranks: leave out -q to see its message)";

/// For a program that may have run on other hosts, where its profile is then.
std::string elsewhere_text(const fs::path& file) {
  return fmt::format(
      "there is no profile on this host (the ranks' messages above give the reason; without any, it is on "
      "rank 0's host, or no rank called Open MPI's MPI_Init); look for {} on rank 0's host",
      file.string());
}

class ProfileCommand final : public Command {
 public:
  void describe(CLI::App& app) override {
    app.add_option("-o,--out", out_, "the profile to write (loadshare.profile)")->type_name("FILE");
    app.add_option("--limit", limit_,
                   "largest size of events per rank, as 1GiB; sums continue beyond it (64MiB)")
        ->type_name("BYTES");
    app.add_option("COMMAND", program_, "mpirun with its arguments, or a program that needs no mpirun")
        ->required();
    app.prefix_command();
    app.footer(
        "The command follows after --:\n"
        "  loadshare profile -- mpirun -q -np 2 prog\n"
        "Either all ranks of a run are profiled, or none. A profile covers the whole program, from MPI_Init\n"
        "to MPI_Finalize. metrics also gives the figures of a part that the program marks, by calls of\n"
        "MPI_Pcontrol(1) before and MPI_Pcontrol(0) after it.\n"
        "If a script runs several MPI programs, each has its own profile: FILE, FILE.2, FILE.3 and so on.\n"
        "The same without this command, for launchers that pass variables on themselves:\n"
        "  mpirun -x LD_PRELOAD=$PWD/build/lib/libloadshare_profile.so prog\n"
        "LOADSHARE_PROFILE_OUT is then the profile, LOADSHARE_PROFILE_LIMIT the limit in bytes.");
    app.callback([this, &app] { words_ = app.remaining(); });
  }

  ExitCode run() override {
    if (out_.empty()) throw UsageError("-o has no name", "it is the file that is written", "give -o FILE");
    const fs::path file = fs::absolute(out_).lexically_normal();
    const std::uint64_t id = fresh_command_id();
    std::map<std::string, std::string> variables{{"LD_PRELOAD", preload(find_library())},
                                                 {"LOADSHARE_PROFILE_OUT", file.string()},
                                                 {"LOADSHARE_PROFILE_COMMAND", std::to_string(id)}};
    if (limit_) variables["LOADSHARE_PROFILE_LIMIT"] = std::to_string(byte_count("--limit", *limit_));
    require_replaceable(file.string());
    const std::vector<std::string> words = command();
    const ProfiledCommand command = profiled(words, variables);
    const int code = run_in_foreground(command.words, [&] {
      for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
    });
    const std::vector<std::string> found = profile::profiles_of_command(file.string(), id);
    const bool may_be_elsewhere = found.empty() && may_run_elsewhere(words);
    write_note("loadshare: " +
               (!found.empty()     ? found_text(found, file.string().size())
                : may_be_elsewhere ? elsewhere_text(file)
                                   : std::string(nowhere)) +
               "\n");
    return found.empty() && !may_be_elsewhere && code == 0 ? ExitCode::run_failed
                                                           : static_cast<ExitCode>(code);
  }

 private:
  std::vector<std::string> command() const {
    std::vector<std::string> words = words_;
    if (!words.empty() && words.front() == "--") words.erase(words.begin());
    words.insert(words.begin(), program_);
    return words;
  }

  /// Names the profiles as the user named the first one, perhaps by a relative path: the absolute path
  /// has `path_size` characters, and a number follows it.
  std::string found_text(const std::vector<std::string>& found, std::size_t path_size) const {
    Words names;
    for (const std::string& path : found) names.push_back(out_ + path.substr(path_size));
    Words typed;
    std::ranges::transform(names, std::back_inserter(typed), file_word);
    return fmt::format("{} {}; loadshare metrics {} reads {}",
                       found.size() == 1 ? "the profile is" : "the profiles, in the order of the runs, are",
                       list_names(names), fmt::join(typed, " "), found.size() == 1 ? "it" : "them");
  }

  std::string out_ = "loadshare.profile";
  std::optional<std::string> limit_;
  std::string program_;
  std::vector<std::string> words_;
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

std::unique_ptr<Command> make_profile_command() {
  return std::make_unique<ProfileCommand>();
}

}  // namespace loadshare::tool
