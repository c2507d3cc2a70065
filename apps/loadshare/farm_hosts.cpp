#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/output.hpp"
#include "base/chunk_text.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "runtime/records/worker_name.hpp"
#include "runtime/transport/tcp/inquiry.hpp"

namespace loadshare::tool {
namespace {

using tcp::Listing;

std::string computed_text(const Chunk& chunk) {
  return chunk.size > 0 ? numbers_text(chunk) : "-";
}

std::string rate_text(double per_s) {
  constexpr double exact_from = 100;
  if (per_s <= 0) return "-";
  return per_s < exact_from ? fmt::format("{:.3g}", per_s) : grouped_text(static_cast<Index>(per_s));
}

std::string listing_text(const std::string& master, const std::vector<Listing>& listings) {
  std::vector<std::vector<std::string>> rows{
      {"host", "address", "state", "computes", "rank", "for", "done", "a second"}};
  std::set<std::string> hosts;
  for (const Listing& one : listings) {
    hosts.insert(one.host);
    rows.push_back({one.host, one.process == 0 ? "the master's" : one.address,
                    name_among(tcp::listing_states, one.state), computed_text(one.computes),
                    std::to_string(one.rank), one.computes.size > 0 ? duration_text(one.for_s) : "-",
                    grouped_text(one.done), rate_text(one.per_s)});
  }
  const auto workers = static_cast<Index>(listings.size());
  const std::string head = fmt::format("master at {}: {} on {}\n", master, count_text(workers, "workers"),
                                       count_text(static_cast<Index>(hosts.size()), "hosts"));
  return listings.empty() ? head : head + "\n" + table_text(rows, 4);
}

/// Whom the master was asked to let go: whole processes, all ranks of each.
std::string leavers_text(const std::string& leaver, const std::vector<Listing>& listings) {
  std::set<std::uint32_t> processes;
  for (const Listing& one : listings)
    if (leaver == one.host || leaver == one.address || leaver == std::to_string(one.rank))
      processes.insert(one.process);
  processes.erase(0);
  std::string text;
  for (const std::uint32_t process : processes) {
    const auto first = std::ranges::find(listings, process, &Listing::process);
    const auto ranks = std::ranges::count(listings, process, &Listing::process);
    text += "asked to leave: " + loadshare::text_of(WorkerName{process, first->host, first->address}, ranks) +
            "\n";
  }
  return text.empty() ? "" : text + "\n";
}

std::string listing_json(const std::string& master, const std::vector<Listing>& listings) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Listing& one : listings) {
    nlohmann::ordered_json computes, per_s, worker;
    if (one.worker != Listing::no_worker) worker = one.worker;
    if (one.computes.size > 0)
      computes = {{"first", one.computes.first}, {"size", one.computes.size}, {"for_s", one.for_s}};
    if (one.per_s > 0) per_s = one.per_s;
    rows.push_back({{"rank", one.rank},
                    {"worker", worker},
                    {"host", one.host},
                    {"address", one.address},
                    {"state", name_among(tcp::listing_states, one.state)},
                    {"computes", computes},
                    {"done", one.done},
                    {"per_s", per_s}});
  }
  return file_text({{"schema", 1}, {"master", master}, {"workers", std::move(rows)}});
}

class Hosts final : public Command {
 public:
  void describe(CLI::App& app) override {
    const auto add = [&](const char* name, std::string& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    add("MASTER", network_.join, "HOST:PORT", "where the master listens")->required();
    add("--drain", drain_, "NAME",
        "let the processes of a host, a rank or an address finish their chunks and leave");
    add("--remove", remove_, "NAME",
        "let them leave immediately: other workers compute their unfinished chunks");
    add("--deadline", deadline_, "TIME",
        "when unfinished chunks are given to other workers (60s with --drain)");
    add("--secret-file", network_.secret_file, "FILE",
        "the secret that master and workers share, as for --join");
    app.add_flag("--without-secret", network_.without_secret,
                 "the master was also started with --without-secret");
    add("--json", json_, "FILE", "write it as JSON; - writes only the JSON, to stdout");
  }

  ExitCode run() override {
    loadshare::require_outputs({{"--secret-file", network_.secret_file}}, {{"--json", json_, "the JSON"}});
    const tcp::Inquiry asked = inquiry();
    const std::vector<Listing> listings = inquire(network_, asked);
    answer(json_, "the list of workers",
           leavers_text(asked.leaver, listings) + listing_text(network_.join, listings),
           listing_json(network_.join, listings));
    return ExitCode::good;
  }

 private:
  tcp::Inquiry inquiry() const {
    constexpr double drain_s = 60;
    if (!drain_.empty() && !remove_.empty())
      throw UsageError("both --drain and --remove are given", "only one of them is possible",
                       "--remove is --drain with --deadline 0");
    if (!deadline_.empty() && drain_.empty() && remove_.empty())
      throw UsageError("--deadline is given without --drain or --remove", "no worker is asked to leave",
                       "give --drain NAME with it");
    const double usual_s = drain_.empty() ? 0 : drain_s;
    return {.leaver = drain_.empty() ? remove_ : drain_,
            .leaves_in_s = deadline_.empty() ? usual_s : duration_s("--deadline", deadline_)};
  }

  NetworkOptions network_;
  std::string drain_, remove_, deadline_, json_;
};

}  // namespace

std::unique_ptr<Command> make_hosts_command() {
  return std::make_unique<Hosts>();
}

}  // namespace loadshare::tool
