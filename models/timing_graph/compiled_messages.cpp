#include "models/timing_graph/compiled_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/timing_graph/compiled_expression.hpp"
#include "models/timing_graph/problem.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::timing_graph {
namespace {

constexpr std::int32_t most_tag = std::numeric_limits<std::int32_t>::max();

/// The number of a request's name, which it gets here if it is new.
std::size_t request_slot(const std::string& name, Compilation& compilation) {
  const auto at = std::ranges::find(compilation.request_names, name);
  if (at == compilation.request_names.end()) compilation.request_names.push_back(name);
  return static_cast<std::size_t>(std::ranges::find(compilation.request_names, name) -
                                  compilation.request_names.begin());
}

std::optional<std::size_t> request_slot(const std::optional<std::string>& name, Compilation& compilation) {
  if (!name) return std::nullopt;
  return request_slot(*name, compilation);
}

/// Of a name that a step before has.
std::size_t known_slot(const std::string& name, const Place& place, const Compilation& compilation) {
  const std::vector<std::string>& names = compilation.request_names;
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  throw problem_at(place, fmt::format("nothing before it begins a request '{}'", name),
                   names.empty() ? "no step begins any" : fmt::format("begun: {}", list_names(names)),
                   did_you_mean(name, names));
}

/// A send or a receive: an op whose peer, tag and size are known only now.
void begin_or_add(ProcessRun& process, const Op& op, std::optional<std::size_t> slot) {
  if (slot)
    process.open_requests[*slot].push_back(process.list.begin(op));
  else
    process.list.add(op);
}

class CompiledSend final : public CompiledStep {
 public:
  CompiledSend(const Send& send, std::uint32_t origin, Compilation& compilation)
      : to_(send.to, compilation.scope),
        bytes_(send.bytes, compilation.scope),
        tag_(send.tag, compilation.scope),
        mode_(send.mode),
        slot_(request_slot(send.request, compilation)),
        origin_(origin) {}

  void run(ProcessRun& process) override { begin_or_add(process, op(process), slot_); }

  Op op(const ProcessRun& process) {
    const std::int64_t to = to_.whole("to", 0, process.process_count - 1);
    const double bytes = bytes_.bytes();
    const std::int64_t tag = tag_.whole("tag", 0, most_tag);
    return {bytes,
            static_cast<std::int32_t>(to),
            static_cast<std::int32_t>(tag),
            no_request,
            origin_,
            OpKind::send,
            mode_};
  }

 private:
  CompiledExpression to_;
  CompiledExpression bytes_;
  CompiledExpression tag_;
  communication::SendMode mode_;
  std::optional<std::size_t> slot_;
  std::uint32_t origin_;
};

std::optional<CompiledExpression> compile_if(const std::optional<Expression>& expression,
                                             const Scope& scope) {
  if (!expression) return std::nullopt;
  return CompiledExpression(*expression, scope);
}

class CompiledReceive final : public CompiledStep {
 public:
  CompiledReceive(const Receive& receive, std::uint32_t origin, Compilation& compilation)
      : from_(compile_if(receive.from, compilation.scope)),
        tag_(compile_if(receive.tag, compilation.scope)),
        slot_(request_slot(receive.request, compilation)),
        origin_(origin) {}

  void run(ProcessRun& process) override { begin_or_add(process, op(process), slot_); }

  Op op(const ProcessRun& process) {
    const std::int64_t from = from_ ? from_->whole("from", 0, process.process_count - 1) : any_source;
    const std::int64_t tag = tag_ ? tag_->whole("tag", 0, most_tag) : any_tag;
    return {0,
            static_cast<std::int32_t>(from),
            static_cast<std::int32_t>(tag),
            no_request,
            origin_,
            OpKind::receive};
  }

 private:
  std::optional<CompiledExpression> from_;
  std::optional<CompiledExpression> tag_;
  std::optional<std::size_t> slot_;
  std::uint32_t origin_;
};

class CompiledExchange final : public CompiledStep {
 public:
  CompiledExchange(const Exchange& exchange, std::uint32_t origin, Compilation& compilation)
      : send_(exchange.send, origin, compilation),
        receive_(exchange.receive, origin, compilation),
        origin_(origin) {}

  void run(ProcessRun& process) override {
    const std::uint32_t received = process.list.begin(receive_.op(process));
    process.list.add(send_.op(process));
    process.list.wait(received, origin_);
  }

 private:
  CompiledSend send_;
  CompiledReceive receive_;
  std::uint32_t origin_;
};

class CompiledWait final : public CompiledStep {
 public:
  /// No slots: all.
  CompiledWait(std::vector<std::size_t> slots, std::uint32_t origin)
      : slots_(std::move(slots)), origin_(origin) {}

  void run(ProcessRun& process) override {
    if (slots_.empty())
      for (auto& requests : process.open_requests) wait(process, requests);
    for (const std::size_t slot : slots_) wait(process, process.open_requests[slot]);
  }

 private:
  void wait(ProcessRun& process, std::vector<std::uint32_t>& requests) const {
    for (const std::uint32_t request : requests) process.list.wait(request, origin_);
    requests.clear();
  }

  std::vector<std::size_t> slots_;
  std::uint32_t origin_;
};

}  // namespace

std::unique_ptr<CompiledStep> compile_send(const Send& send, std::uint32_t origin, Compilation& compilation) {
  return std::make_unique<CompiledSend>(send, origin, compilation);
}

std::unique_ptr<CompiledStep> compile_receive(const Receive& receive, std::uint32_t origin,
                                              Compilation& compilation) {
  return std::make_unique<CompiledReceive>(receive, origin, compilation);
}

std::unique_ptr<CompiledStep> compile_exchange(const Exchange& exchange, std::uint32_t origin,
                                               Compilation& compilation) {
  return std::make_unique<CompiledExchange>(exchange, origin, compilation);
}

std::unique_ptr<CompiledStep> compile_wait(const Wait& wait, const Place& place, std::uint32_t origin,
                                           const Compilation& compilation) {
  std::vector<std::size_t> slots;
  for (const std::string& name : wait.requests) slots.push_back(known_slot(name, place, compilation));
  return std::make_unique<CompiledWait>(std::move(slots), origin);
}

}  // namespace loadshare::timing_graph
