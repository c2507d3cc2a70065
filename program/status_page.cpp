#include "program/status_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/chunk_text.hpp"
#include "base/io/text.hpp"
#include "runtime/transport/tcp/page_server.hpp"

namespace loadshare {

namespace {

/// Returns external text escaped for HTML.
std::string shown(const std::string& text) {
  std::string safe;
  for (const char letter : printable(text)) switch (letter) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += letter;
    }
  return safe;
}

std::string_view state_of(const WorkerStatus& worker) {
  using What = MemberEvent::What;
  switch (worker.event.value_or(What::joined)) {
    case What::silent:
    case What::lost:
    case What::left:
    case What::set_aside:
      return name_among(member_events, *worker.event);
    case What::drained:
      return "leaving";
    default:
      return worker.held.empty() ? "idle" : "computing";
  }
}

/// Moves workers with problems to the front, because they would be overlooked among many.
std::vector<WorkerStatus> troubles_first(std::vector<WorkerStatus> workers) {
  std::ranges::stable_partition(workers, [](const WorkerStatus& worker) {
    return worker.event == MemberEvent::What::silent || worker.event == MemberEvent::What::lost;
  });
  return workers;
}

std::string chunks_text(const std::vector<Chunk>& chunks) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, chunks.size()); ++i)
    text += (i > 0 ? ", " : "") + numbers_text(chunks[i]);
  return chunks.size() > most ? text + fmt::format(" and {} more", chunks.size() - most) : text;
}

std::string rate_text(double per_s) {
  return per_s >= 100 ? grouped_text(static_cast<Index>(per_s)) : fmt::format("{:#.3g}", per_s);
}

struct HostSum {
  int workers = 0;
  double per_s = 0;
  std::size_t chunks = 0;
  int lost = 0;
};

std::map<std::string, HostSum> by_host(const LoopStatus& loop) {
  std::map<std::string, HostSum> hosts;
  for (const WorkerStatus& worker : loop.workers) {
    HostSum& host = hosts[worker.name.host.empty() ? "(unknown)" : worker.name.host];
    host.workers += worker.is_there() ? 1 : 0;
    host.lost += worker.event == MemberEvent::What::lost ? 1 : 0;
    host.per_s += worker.per_s;
    host.chunks += worker.held.size();
  }
  return hosts;
}

/// All text has a contrast of at least 4.5:1, on light and on dark screens.
constexpr std::string_view style = R"css(
:root{color-scheme:light dark;--text:#1b1f23;--quiet:#57606a;--page:#ffffff;--line:#d0d7de;--bar:#1a7f4b;--bad:#b01c24}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--quiet:#9aa4af;--page:#14181d;--line:#3b434c;--bar:#3fb27f;
--bad:#ff9a94}}
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0 1em;color:var(--text);
background:var(--page)}
h1{font-size:1.5em;margin:0 0 .4em}h2{font-size:1.1em;margin:1.6em 0 .2em}p{margin:.35em 0}
table{border-collapse:collapse;width:100%}
th,td{text-align:right;vertical-align:top;padding:.25em .6em;border-bottom:1px solid var(--line);
font-variant-numeric:tabular-nums}
th{color:var(--quiet);font-weight:600}th:first-child,td:first-child,.l{text-align:left}
th:first-child,td:first-child{padding-left:0}
.bar{height:.7em;background:var(--line);border-radius:.35em;margin-bottom:.8em;overflow:hidden}
.bar div{height:100%;background:var(--bar)}
.lost,.silent{color:var(--bad);font-weight:600}
@media(max-width:40em){body{margin:1em auto;padding:0 .7em}th,td{padding:.25em .3em}.wide{display:none}
.host{overflow-wrap:anywhere;min-width:5em}}
)css";

void add_head(std::string& page, const PageContent& content, double share) {
  fmt::format_to(
      std::back_inserter(page),
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" "
      "content=\"1\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{1:.0f} % "
      "{0}</title><style>{2}</style></head><body>\n<h1>{0}: {1:.0f} % done</h1>\n"
      "<div class=\"bar\"><div style=\"width:{1:.1f}%\"></div></div>\n",
      shown(content.app), 100 * share, style);
}

void add_sums(std::string& page, const PageContent& content) {
  const LoopStatus& loop = content.loop;
  if (loop.iteration_name.empty()) {
    page += "<p id=\"done\">No loop has begun yet.</p>\n";
    return;
  }
  fmt::format_to(std::back_inserter(page), "<p id=\"done\">{} of {} {} done after {}</p>\n",
                 grouped_text(loop.done), grouped_text(loop.iterations), shown(loop.iteration_name),
                 clock_text(loop.now_s));
  if (loop.recovered > 0)
    fmt::format_to(std::back_inserter(page), "<p>{} more recovered from the journal</p>\n",
                   grouped_text(loop.recovered));
  fmt::format_to(std::back_inserter(page), "<p id=\"end\">{}</p>\n",
                 content.rest_s ? "about " + clock_text(*content.rest_s) + " left" : "no forecast yet");
  const auto lost =
      std::ranges::count(loop.workers, std::optional(MemberEvent::What::lost), &WorkerStatus::event);
  fmt::format_to(std::back_inserter(page), "<p id=\"losses\">{} lost, {} given to another worker</p>\n",
                 count_text(lost, "worker", "workers"), count_text(loop.given_again, "chunk", "chunks"));
}

void add_hosts(std::string& page, const LoopStatus& loop) {
  fmt::format_to(
      std::back_inserter(page),
      "<h2>Hosts</h2>\n<table id=\"hosts\"><tr><th>host<th>workers<th>lost<th>{} per second<th>chunks "
      "held</tr>\n",
      shown(loop.iteration_name));
  for (const auto& [name, host] : by_host(loop))
    fmt::format_to(std::back_inserter(page), "<tr><td class=\"host\">{}<td>{}<td>{}<td>{}<td>{}</tr>\n",
                   shown(name), host.workers, host.lost, rate_text(host.per_s), host.chunks);
  page += "</table>\n";
}

void add_workers(std::string& page, const LoopStatus& loop) {
  fmt::format_to(std::back_inserter(page),
                 "<h2>Workers</h2>\n<table id=\"workers\"><tr><th>rank<th class=\"l\">host<th class=\"l "
                 "wide\">address<th class=\"l\">state<th>{0} done<th class=\"wide\">{0} per second<th "
                 "class=\"l\">{0} held</tr>\n",
                 shown(loop.iteration_name));
  for (const WorkerStatus& worker : troubles_first(loop.workers))
    fmt::format_to(std::back_inserter(page),
                   "<tr><td>{}<td class=\"l host\">{}<td class=\"l wide\">{}<td class=\"l {}\">{}<td>{}<td "
                   "class=\"wide\">{}<td class=\"l\">{}</tr>\n",
                   worker.name.rank, shown(worker.name.host), shown(worker.name.address), state_of(worker),
                   state_of(worker), grouped_text(worker.iterations), rate_text(worker.per_s),
                   chunks_text(worker.held));
  page += "</table>\n";
}

}  // namespace

std::string status_page(const PageContent& content) {
  const LoopStatus& loop = content.loop;
  const double share =
      loop.iterations > 0 ? static_cast<double>(loop.done) / static_cast<double>(loop.iterations) : 0;
  std::string page;
  add_head(page, content, share);
  add_sums(page, content);
  add_hosts(page, loop);
  add_workers(page, loop);
  page += "</body></html>\n";
  return page;
}

StatusPage::StatusPage(const std::string& address, const NetworkOptions& network)
    : server_(std::make_unique<tcp::PageServer>(address, network, [this] {
        PageContent content;
        {
          const std::lock_guard lock(mutex_);
          content = content_;
        }
        return status_page(content);
      })) {}

StatusPage::~StatusPage() = default;

std::string StatusPage::url() const {
  return server_->url();
}

std::string StatusPage::hint() const {
  return server_->hint();
}

void StatusPage::show(PageContent content) {
  const std::lock_guard lock(mutex_);
  content_ = std::move(content);
}

}  // namespace loadshare
