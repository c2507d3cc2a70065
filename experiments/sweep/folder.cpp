#include "experiments/sweep/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/sweep/manifest.hpp"
#include "runtime/timing/output_path.hpp"
#include "runtime/timing/wording.hpp"
#include "schedulers/error.hpp"

namespace loadshare::sweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) {
  replace_file(path, [&](const ByteSink& sink) { sink(text); });
}

void require_same_sweep(const std::string& path, const ordered_json& manifest) {
  const std::string file = path + "/sweep.json";
  const ordered_json older = ordered_json::parse(content_of(file), nullptr, false);
  if (!older.is_object())
    throw UsageError(fmt::format("cannot go on in '{}'", path), "its sweep.json cannot be read",
                     "name another folder with --out");
  if (const std::string what = difference(older, manifest); !what.empty())
    throw UsageError(fmt::format("the runs in '{}' are another sweep's", path), what,
                     "name another folder with --out");
}

void require_folder(const std::string& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure && !fs::is_directory(path))
    throw UsageError(fmt::format("cannot make the folder '{}'", path), failure.message(),
                     "name another one with --out");
  require_writable(path + "/runs.jsonl", "the runs");
}

}  // namespace

std::vector<LoggedRun> Folder::look(const std::string& path, const ordered_json& manifest, Resume resume) {
  std::vector<LoggedRun> runs = read_log(path + "/runs.jsonl");
  if (runs.empty()) return runs;
  if (resume == Resume::no)
    throw UsageError(
        fmt::format("there are {} in '{}'", count_text(static_cast<Index>(runs.size()), "run", "runs"), path),
        "a new sweep would mix with them", "go on with --resume, or name another folder with --out");
  require_same_sweep(path, manifest);
  return runs;
}

Folder::Folder(std::string path, const ordered_json& manifest, const std::string& sweep_file, Resume resume)
    : path_(std::move(path)) {
  earlier_ = look(path_, manifest, resume);
  require_folder(path_);
  lock();
  mend_log(runs_file());
  earlier_ = look(path_, manifest, resume);
  write(path_ + "/sweep.yaml", content_of(sweep_file));
  write(path_ + "/sweep.json", manifest.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  log_.emplace(runs_file());
}

void Folder::lock() {
  lock_ = Descriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_.number() < 0) throw UsageError(fmt::format("cannot open '{}'", path_), std::strerror(errno));
  // Other errors: some network file systems cannot lock.
  if (flock(lock_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw UsageError(fmt::format("another sweep is running in '{}'", path_), "their runs would mix",
                     "wait for it, or name another folder with --out");
}

}  // namespace loadshare::sweep
