#include "models/timing_graph/compiled_collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "models/timing_graph/collectives/table.hpp"
#include "models/timing_graph/compiled_expression.hpp"
#include "models/timing_graph/problem.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::timing_graph {
namespace {

using collectives::BytesOf;
using collectives::Kind;

const Kind& kind_of(const std::string& call, const Place& place) {
  const auto kinds = collectives::collective_table();
  const auto at = std::ranges::find(kinds, call, &Kind::name);
  if (at != kinds.end()) return *at;
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  throw problem_at(place, fmt::format("unknown collective call '{}'", call),
                   fmt::format("valid: {}", list_names(names)), did_you_mean(call, names));
}

struct CompiledGroup {
  CompiledExpression first;
  CompiledExpression last;
  CompiledExpression stride;
};

class CompiledCollective final : public CompiledStep {
 public:
  CompiledCollective(const Collective& collective, const Place& place, std::uint32_t origin, Scope& scope)
      : scope_(scope),
        kind_(kind_of(collective.call, place)),
        place_(place),
        name_{kind_.name, place},
        peer_(kind_.bytes_of == BytesOf::pair ? &scope.enter("peer") : nullptr),
        bytes_(collective.bytes, scope),
        root_(collective.root, scope),
        origin_(origin) {
    if (peer_ != nullptr) scope.leave();
    if (!collective.group) return;
    const Group& group = *collective.group;
    group_.emplace(CompiledGroup{{group.first, scope}, {group.last, scope}, {group.stride, scope}});
  }

  void run(ProcessRun& process) override {
    CollectiveUse use;
    use.position = process.list.ops().size();
    use.kind = &kind_;
    use.origin = origin_;
    use.group = group_of(process);
    if (kind_.root == collectives::Root::one) use.root = root_in(use.group, process);
    use.bytes = bytes_for(use.group, process);
    process.collectives.push_back(std::move(use));
  }

 private:
  RankGroup group_of(const ProcessRun& process) {
    const std::int32_t last_rank = process.process_count - 1;
    if (!group_) return {0, last_rank, 1};
    const auto whole = [](CompiledExpression& of, const char* what, std::int32_t least, std::int32_t most) {
      return static_cast<std::int32_t>(of.whole(what, least, most));
    };
    RankGroup group{whole(group_->first, "the group's first rank", 0, last_rank),
                    whole(group_->last, "the group's last rank", 0, last_rank),
                    whole(group_->stride, "the group's stride", 1, process.process_count)};
    if (!group.contains(process.rank))
      throw problem_at(place_,
                       fmt::format("rank {} is not in the group it makes this call with", process.rank),
                       fmt::format("ranks {} to {}, every {}", group.first, group.last, group.stride));
    // The last rank that is really in it, so that equal groups are equal.
    group.last = group.rank_of(group.size() - 1);
    return group;
  }

  std::int32_t root_in(const RankGroup& group, const ProcessRun& process) {
    const auto root = static_cast<std::int32_t>(root_.whole("root", 0, process.process_count - 1));
    if (!group.contains(root))
      throw problem_at(place_, fmt::format("root is {}", root), "that rank is not in the group");
    return root;
  }

  std::vector<double> bytes_for(const RankGroup& group, ProcessRun& process) {
    if (peer_ == nullptr) return {bytes_.bytes()};
    // A number for each pair is much to keep, long before there is an op.
    process.budget->spend(name_, static_cast<std::size_t>(group.size()));
    std::vector<double> bytes;
    for (int member = 0; member < group.size(); ++member) {
      scope_.set(*peer_, group.rank_of(member));
      bytes.push_back(bytes_.bytes());
    }
    return bytes;
  }

  Scope& scope_;
  const Kind& kind_;
  Place place_;
  Origin name_;
  Variable* peer_;
  CompiledExpression bytes_;
  CompiledExpression root_;
  std::optional<CompiledGroup> group_;
  std::uint32_t origin_;
};

}  // namespace

std::unique_ptr<CompiledStep> compile_collective(const Collective& collective, const Place& place,
                                                 std::uint32_t origin, Scope& scope) {
  return std::make_unique<CompiledCollective>(collective, place, origin, scope);
}

}  // namespace loadshare::timing_graph
