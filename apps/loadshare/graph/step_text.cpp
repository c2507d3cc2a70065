#include "apps/loadshare/graph/step_text.hpp"

#include <fmt/format.h>

namespace loadshare::tool {
namespace {

using namespace timing_graph;

std::string or_any(const std::optional<Expression>& expression) {
  return expression ? expression->text : "any";
}

std::string request_text(const std::optional<std::string>& request) {
  return request ? fmt::format(" (begins {})", *request) : "";
}

struct TextOfAction {
  std::string operator()(const Compute& compute) const { return "compute " + compute.seconds.text + " s"; }
  std::string operator()(const Send& send) const {
    std::string text = fmt::format("send {} bytes to {}", send.bytes.text, send.to.text);
    if (send.tag.text != "0") text += ", tag " + send.tag.text;
    if (send.mode != communication::SendMode::standard) text += ", " + name_of(send.mode);
    return text + request_text(send.request);
  }
  std::string operator()(const Receive& receive) const {
    std::string text = "receive from " + or_any(receive.from);
    if (receive.tag) text += ", tag " + receive.tag->text;
    return text + request_text(receive.request);
  }
  std::string operator()(const Exchange& exchange) const {
    return fmt::format("exchange: {}, {}", (*this)(exchange.send), (*this)(exchange.receive));
  }
  std::string operator()(const Wait& wait) const {
    return wait.requests.empty() ? "wait for all"
                                 : fmt::format("wait for {}", fmt::join(wait.requests, ", "));
  }
  std::string operator()(const Collective& collective) const {
    if (collective.call == "barrier") return collective.call;
    std::string text = fmt::format("{} {} bytes", collective.call, collective.bytes.text);
    if (collective.root.text != "0") text += ", root " + collective.root.text;
    return text;
  }
  std::string operator()(const Loop& loop) const {
    const std::string variable = loop.variable.empty() ? "" : fmt::format(" ({})", loop.variable);
    return fmt::format("loop {} times{}", loop.times.text, variable);
  }
  std::string operator()(const Branch& branch) const { return "if " + branch.condition.text; }
};

}  // namespace

std::string step_text(const Step& step) {
  const std::string text = std::visit(TextOfAction{}, step.action);
  return step.label.empty() ? text : fmt::format("{}: {}", step.label, text);
}

std::string ranks_text(const Process& process) {
  if (!process.ranks) return "all ranks";
  const RankRange& ranks = *process.ranks;
  if (ranks.first.text == ranks.last.text) return "rank " + ranks.first.text;
  return fmt::format("ranks {} to {}", ranks.first.text, ranks.last.text);
}

}  // namespace loadshare::tool
