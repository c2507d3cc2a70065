#include "runtime/transport/tcp/started_hosts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/tcp/address.hpp"
#include "runtime/transport/tcp/admission.hpp"
#include "runtime/transport/tcp/master_line.hpp"
#include "runtime/transport/tcp/tls.hpp"

namespace loadshare::tcp {
namespace {

constexpr std::string_view host_mark = "{host}";
constexpr std::string_view blanks = " \t\r";

struct PlacedWord {
  std::string place;  // file:line:column: of it
  std::string text;
};

std::vector<PlacedWord> words_of_line(const std::string& file, int number, std::string_view line) {
  std::vector<PlacedWord> words;
  line = line.substr(0, line.find('#'));
  for (std::size_t begin = 0; (begin = line.find_first_not_of(blanks, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(
        {fmt::format("{}:{}:{}: ", file, number, begin + 1), std::string(line.substr(begin, end - begin))});
    begin = end;
  }
  return words;
}

Index workers_of(const PlacedWord& word) {
  static const std::vector<std::string> settings{"workers"};
  constexpr Index most_workers = Admission::most_workers_of_process;
  const std::size_t sign = word.text.find('=');
  const std::string name = word.text.substr(0, sign);
  if (name != settings.front())
    throw UsageError(
        word.place + "a host has no setting '" + name + "'", "a line is a host and its number of workers",
        did_you_mean(name, settings).empty() ? "write it as node7 workers=4" : did_you_mean(name, settings));
  if (sign == std::string::npos)
    throw UsageError(word.place + "workers has no number", "", "write it as workers=4");
  return whole_number(word.place + name, word.text.substr(sign + 1), 1, most_workers);
}

HostToStart host_of(const std::vector<PlacedWord>& words) {
  const PlacedWord& name = words.front();
  // What starts programs there would take it for an option of its own.
  if (name.text.starts_with('-') || name.text.find('=') != std::string::npos)
    throw UsageError(name.place + "'" + name.text + "' is not a host", "a line begins with a host's name",
                     "write it as node7 workers=4");
  if (words.size() > 2)
    throw UsageError(words[2].place + "'" + words[2].text + "' is one word too many",
                     "a line is a host and its number of workers", "give each host a line of its own");
  return {name.text, words.size() > 1 ? workers_of(words[1]) : 0};
}

std::string replaced(std::string word, std::string_view mark, const std::string& by) {
  for (std::size_t at = 0; (at = word.find(mark, at)) != std::string::npos; at += by.size())
    word.replace(at, mark.size(), by);
  return word;
}

/// This program as it was called, for its name has to be the same there.
std::string program_path(const Words& words) {
  const std::string called = words.empty() ? "" : words.front();
  if (called.find('/') != std::string::npos) return std::filesystem::absolute(called).lexically_normal();
  const std::string found = called.empty() ? "" : find_in_path(called);
  return found.empty() ? own_path() : found;
}

/// Where others find who listens there; an address that means any of this host's is none.
Words worker_words(const NetworkOptions& network, const std::string& master) {
  Words words{program_path(network.words), "--join", Address::parse("--listen", master).for_others().text(),
              "--patience", short_duration_text(network.patience_s)};
  if (!network.secret_file.empty()) words.insert(words.end(), {"--secret-file", "-"});
  if (network.without_secret) words.emplace_back("--without-secret");
  return words;
}

/// No other master gives the same.
std::string fresh_name() {
  std::random_device dice;
  return fmt::format("{:08x}{:08x}", dice(), dice());
}

constexpr off_t kept_bytes = 4096;

off_t size_of(const Descriptor& file) {
  struct stat status {};
  return fstat(file.number(), &status) == 0 ? status.st_size : 0;
}

/// Somebody may write there all day.
void forget_old(const Descriptor& file) {
  constexpr off_t most_bytes = off_t{1} << 20;
  const off_t size = size_of(file);
  if (size > most_bytes)
    fallocate(file.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size - 2 * kept_bytes);
}

/// The last lines of what a process has written to the file, in one.
std::string last_lines(const Descriptor& file) {
  constexpr std::size_t most_lines = 3;
  std::array<char, kept_bytes> bytes{};
  const off_t first = std::max<off_t>(0, size_of(file) - kept_bytes);
  const ssize_t size = pread(file.number(), bytes.data(), bytes.size(), first);
  std::istringstream text(std::string(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(0, size))));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    std::erase(line, '\r');  // of a terminal
    if (!line.empty()) lines.push_back(printable(line));
  }
  if (lines.size() > most_lines) lines.erase(lines.begin(), lines.end() - most_lines);
  return fmt::format("{}", fmt::join(lines, "; "));
}

std::string reason(const Descriptor& said, int exit_code) {
  const std::string text = last_lines(said);
  return text.empty() ? fmt::format("exit code {}, no output", exit_code) : text;
}

}  // namespace

std::vector<HostToStart> read_hosts_to_start(const std::string& path) {
  std::istringstream file(read_text_file(path, "the hosts in"));
  std::vector<HostToStart> hosts;
  std::map<std::string, int> lines;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<PlacedWord> words = words_of_line(path, ++number, line);
    if (words.empty()) continue;
    hosts.push_back(host_of(words));
    const auto [before, is_new] = lines.emplace(hosts.back().name, number);
    if (!is_new)
      throw UsageError(words.front().place + hosts.back().name + " is listed twice",
                       fmt::format("first in line {}", before->second), "write workers=2 for two workers");
  }
  if (hosts.empty()) throw UsageError(path + " lists no host", "a line is a host and its number of workers");
  return hosts;
}

Words words_to_start(const std::string& start_by, const std::string& host, const Words& program) {
  if (start_by.find(host_mark) == std::string::npos)
    throw UsageError("--start-by is '" + start_by + "'", "it lacks {host}, the place of the host's name",
                     "write it as in 'ssh {host}'");
  Words words;
  if (start_by.find_first_of("\"'\\") != std::string::npos)
    throw UsageError("--start-by is '" + start_by + "'", "it is split at blanks, and cannot contain quotes",
                     "put the command into a script, and give the script");
  std::istringstream parts(start_by);
  for (std::string part; parts >> part;) words.push_back(replaced(part, host_mark, host));
  for (const std::string& word : program) words.push_back(shell_word(word));
  return words;
}

StartedHosts::StartedHosts(Loop& loop, const NetworkOptions& network, const std::string& master)
    : network_(network), master_(master), begun_s_(monotonic_s()), timer_(loop.io()) {
  const std::vector<HostToStart> hosts = read_hosts_to_start(network.start_on);
  if (!network.secret_file.empty()) secret_ = Secret::bytes_of(network.secret_file);
  const Words program = worker_words(network, master);
  for (const HostToStart& host : hosts) hosts_.push_back(start(host, program));
  look_later();
}

// The secret goes over stdin: words are seen by everybody who is on the host.
StartedHosts::Host StartedHosts::start(const HostToStart& host, const Words& program) {
  Host started{.name = host.name, .started_as = fresh_name(), .said = memory_file()};
  Words words = program;
  words.insert(words.end(), {"--workers", std::to_string(host.workers), "--started-as", started.started_as});
  const Descriptor in = memory_file(secret_);
  const Descriptor nowhere(checked(open("/dev/null", O_WRONLY | O_CLOEXEC), "cannot open /dev/null"));
  const auto prepare = [parent = getpid()] {
    setsid();  // Ctrl-C is the master's, and nobody is to be asked for a password
    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);  // or the master's port would outlive it
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
  };
  started.process = loadshare::start(words_to_start(network_.start_by, host.name, words),
                                     {in.number(), nowhere.number(), started.said.number(), prepare});
  return started;
}

StartedHosts::~StartedHosts() {
  constexpr double farewell_s = 2, last_s = 0.5;
  for (const Host& host : hosts_)
    if (host.process > 0 && host.state != State::here) kill(-host.process, SIGTERM);
  await_ends(farewell_s);
  signal_running(SIGTERM);
  await_ends(last_s);
  signal_running(SIGKILL);
  for (const Host& host : hosts_)
    if (host.process > 0) waitpid(host.process, nullptr, 0);
}

void StartedHosts::signal_running(int number) const {
  for (const Host& host : hosts_)
    if (host.process > 0) kill(-host.process, number);
}

void StartedHosts::await_ends(double limit_s) {
  constexpr useconds_t look_again_us = 2000;
  for (const double end_s = monotonic_s() + limit_s; has_running() && monotonic_s() < end_s;) {
    for (Host& host : hosts_)
      if (host.process > 0 && waitpid(host.process, nullptr, WNOHANG) != 0) host.process = -1;
    usleep(look_again_us);
  }
}

bool StartedHosts::has_running() const {
  return std::ranges::any_of(hosts_, [](const Host& host) { return host.process > 0; });
}

bool StartedHosts::has_started(const std::string& name) const {
  return std::ranges::find(hosts_, name, &Host::started_as) != hosts_.end();
}

void StartedHosts::joined(const std::string& name) {
  const auto host = std::ranges::find(hosts_, name, &Host::started_as);
  if (host != hosts_.end()) host->state = State::here;
}

bool StartedHosts::awaits_some() const {
  return std::ranges::find(hosts_, State::coming, &Host::state) != hosts_.end();
}

std::vector<std::string> StartedHosts::failures() const {
  std::vector<std::string> all;
  for (const Host& host : hosts_)
    if (host.state == State::failed) all.push_back(host.failure());
  return all;
}

void StartedHosts::require_some() const {
  const std::vector<std::string> failed = failures();
  if (failed.size() < hosts_.size()) return;
  const Words attempt = words_to_start(network_.start_by, hosts_.front().name, {"true"});
  throw Error(ExitCode::workers_lost,
              fmt::format("none of the {} hosts in {} came up", hosts_.size(), network_.start_on),
              failed.front(), fmt::format("try it by hand: {}", command_text(attempt)));
}

void StartedHosts::look_later() {
  timer_.expires_after(std::chrono::milliseconds(200));
  timer_.async_wait([this](std::error_code error) {
    if (!error) look();
  });
}

void StartedHosts::look() {
  for (Host& host : hosts_) {
    if (host.process > 0)
      if (const auto exit_code = exit_code_if_ended(host.process)) ended(host, *exit_code);
    forget_old(host.said);
    if (host.state == State::coming && monotonic_s() > begun_s_ + usual_s)
      fail(host, fmt::format("none has joined within {:.0f} s", usual_s));
  }
  look_later();
}

// What only starts others and ends well may have done so.
void StartedHosts::ended(Host& host, int exit_code) {
  host.process = -1;
  if (exit_code == 0) return;
  if (host.state != State::here) return fail(host, reason(host.said, exit_code));
  network_.note("the workers on " + host.name + " ended: " + reason(host.said, exit_code));
}

// Adds a hint if workers tried a loopback address: they looked for the master on their own host.
std::string StartedHosts::own_host_hint(const std::string& why) const {
  const Address address = Address::parse("--listen", master_);
  asio::io_context io;
  const bool has_looked = why.find(no_master_at + master_) != std::string::npos;
  if (!has_looked || !is_loopback(resolve(io, "--listen", address))) return {};
  return "; " + address.host +
         " is an address that only the master's host can reach: give --listen an address of the hosts' "
         "network";
}

void StartedHosts::fail(Host& host, const std::string& why) {
  host.state = State::failed;
  host.why = why + own_host_hint(why);
  network_.note(host.failure());
}

}  // namespace loadshare::tcp
