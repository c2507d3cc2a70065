#include "apps/loadshare/rank_places.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <thread>

namespace loadshare::tool {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto longest_search = 1000ms;
constexpr auto search_interval = 20ms;

std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The first of the variables that is set to a number.
std::optional<int> first_number(std::initializer_list<const char*> variables) {
  for (const char* variable : variables)
    if (const char* value = std::getenv(variable); value != nullptr)
      if (const auto number = number_in(value)) return number;
  return std::nullopt;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<int> rank_in_job(const fs::path& process, const std::string& job) {
  const auto environment = parse_environment(content_of(process / "environ"));
  const auto name = environment.find("PMIX_NAMESPACE");
  const auto rank = environment.find("PMIX_RANK");
  if (name == environment.end() || rank == environment.end() || name->second != job) return std::nullopt;
  return number_in(rank->second);
}

/// One look at all processes. A rank started through a wrapper script shows twice; the later process counts.
std::map<int, std::vector<int>> places_now(const std::string& job) {
  std::map<int, std::pair<int, std::vector<int>>> found;
  std::error_code gone;  // processes end while we look
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const auto process = number_in(entry.path().filename().string());
    const auto rank = process ? rank_in_job(entry.path(), job) : std::nullopt;
    if (rank && found[*rank].first < *process)
      found[*rank] = {*process, allowed_cpus_of(entry.path().filename().string())};
  }
  std::map<int, std::vector<int>> places;
  for (auto& [rank, place] : found) places[rank] = std::move(place.second);
  return places;
}

}  // namespace

RankEnvironment rank_environment() {
  RankEnvironment environment;
  environment.ranks = first_number({"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}).value_or(0);
  environment.ranks_here = first_number({"OMPI_COMM_WORLD_LOCAL_SIZE"}).value_or(0);
  environment.local_rank = first_number({"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}).value_or(0);
  environment.knows_oversubscription =
      first_number({"OMPI_MCA_mpi_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"}).value_or(0) != 0;
  if (const char* job = std::getenv("PMIX_NAMESPACE"); job != nullptr) environment.job = job;
  return environment;
}

std::vector<int> allowed_cpus_of(const std::string& process) {
  constexpr std::string_view key = "Cpus_allowed_list:\t";
  const std::string status = content_of(fs::path("/proc") / process / "status");
  const std::size_t at = status.find(key);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + key.size();
  return parse_cpu_list(std::string_view(status).substr(begin, status.find('\n', begin) - begin));
}

std::vector<RankPlace> find_rank_places(const std::string& job, int expected) {
  if (job.empty()) return {};
  const auto give_up = std::chrono::steady_clock::now() + longest_search;
  auto found = places_now(job);
  while (static_cast<int>(found.size()) < expected && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(search_interval);
    found = places_now(job);
  }
  std::vector<RankPlace> places;
  for (auto& [rank, cpus] : found) places.push_back({rank, std::move(cpus)});
  return places;
}

void stay_to_be_seen() {
  std::this_thread::sleep_for(longest_search + 2 * search_interval);
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    const auto first = number_in(range.substr(0, range.find('-')));
    const auto last = number_in(range.substr(range.find('-') + 1));
    if (!first || !last) continue;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::map<std::string, std::string, std::less<>> parse_environment(std::string_view block) {
  std::map<std::string, std::string, std::less<>> variables;
  while (!block.empty()) {
    const std::string_view entry = block.substr(0, block.find('\0'));
    block.remove_prefix(std::min(entry.size() + 1, block.size()));
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos)
      variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return variables;
}

}  // namespace loadshare::tool
