#include "profiler/preload/groups.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "profiler/preload/section.hpp"

namespace loadshare::profile {
namespace {

/// Hashes the words that identify a group's origin. Never returns one of the two reserved ids.
template <typename Words>
std::uint64_t id_of(const Words& words) {
  std::uint64_t mixed = 0x243f6a8885a308d3U;
  for (const auto word : words) {
    mixed = (mixed ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15U;
    mixed ^= mixed >> 29;
  }
  return mixed == world_id || mixed == unknown_communicator ? 1 : mixed;
}

std::uint64_t id_of(std::initializer_list<std::uint64_t> words) {
  return id_of<std::initializer_list<std::uint64_t>>(words);
}

std::vector<std::int32_t> own_side(MPI_Comm communicator) {
  MPI_Group members = MPI_GROUP_NULL;
  PMPI_Comm_group(communicator, &members);
  std::vector<std::int32_t> ranks = Groups::world_ranks_of(members);
  PMPI_Group_free(&members);
  return ranks;
}

Group describe(MPI_Comm communicator) {
  Group made;
  int is_inter = 0;
  PMPI_Comm_test_inter(communicator, &is_inter);
  made.is_inter = is_inter != 0;
  PMPI_Comm_rank(communicator, &made.own_rank);
  MPI_Group members = MPI_GROUP_NULL;
  if (made.is_inter)
    PMPI_Comm_remote_group(communicator, &members);
  else
    PMPI_Comm_group(communicator, &members);
  made.world_ranks = Groups::world_ranks_of(members);
  made.size = static_cast<int>(made.world_ranks.size());
  PMPI_Group_free(&members);
  return made;
}

std::vector<int> sources_in_grid(MPI_Comm communicator) {
  int dimensions = 0;
  PMPI_Cartdim_get(communicator, &dimensions);
  std::vector<int> sources;
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int before = MPI_PROC_NULL;
    int behind = MPI_PROC_NULL;
    PMPI_Cart_shift(communicator, dimension, 1, &before, &behind);
    sources.insert(sources.end(), {before, behind});
  }
  return sources;
}

std::vector<int> sources_in_graph(MPI_Comm communicator) {
  int rank = 0;
  int count = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Graph_neighbors_count(communicator, rank, &count);
  std::vector<int> sources(static_cast<std::size_t>(count));
  PMPI_Graph_neighbors(communicator, rank, count, sources.data());
  return sources;
}

std::vector<int> sources_in_distributed_graph(MPI_Comm communicator) {
  int in = 0;
  int out = 0;
  int is_weighted = 0;
  PMPI_Dist_graph_neighbors_count(communicator, &in, &out, &is_weighted);
  std::vector<int> sources(static_cast<std::size_t>(in));
  std::vector<int> destinations(static_cast<std::size_t>(out));
  std::vector<int> weights(static_cast<std::size_t>(std::max(in, out)));
  int* const given = is_weighted != 0 ? weights.data() : MPI_UNWEIGHTED;
  PMPI_Dist_graph_neighbors(communicator, in, sources.data(), given, out, destinations.data(), given);
  return sources;
}

std::vector<int> sources_in_topology(MPI_Comm communicator) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(communicator, &topology);
  if (topology == MPI_CART) return sources_in_grid(communicator);
  if (topology == MPI_GRAPH) return sources_in_graph(communicator);
  if (topology == MPI_DIST_GRAPH) return sources_in_distributed_graph(communicator);
  return {};
}

}  // namespace

std::vector<std::int32_t> Groups::world_ranks_of(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(size));
  std::vector<std::int32_t> found(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, found.data());
  PMPI_Group_free(&world);
  for (std::int32_t& rank : found)
    if (rank == MPI_UNDEFINED) rank = -1;  // a rank of a program that this one has connected to
  return found;
}

void Groups::begin(Section& section) {
  section_ = &section;
  Group world;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world.own_rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world.size);
  add(MPI_COMM_WORLD, world, "MPI_COMM_WORLD");
}

Group& Groups::add(const void* handle, Group group, const char* name) {
  last_ = MPI_COMM_NULL;
  auto& place = known_[handle];
  place = std::make_unique<Group>(std::move(group));
  announce(*place, name);
  return *place;
}

/// Writes the group's block. MPI_COMM_WORLD needs none.
void Groups::announce(const Group& group, const char* name) {
  if (group.own_rank != 0 || group.id == world_id || group.id == unknown_communicator) return;
  const std::size_t members = group.is_inter ? 0 : group.world_ranks.size();
  const std::size_t bytes = sizeof(CommunicatorContent) + members * sizeof(std::int32_t);
  std::vector<char> content(bytes);
  std::snprintf(content.data(), sizeof(CommunicatorContent), "%s", name);
  if (members > 0)
    std::memcpy(content.data() + sizeof(CommunicatorContent), group.world_ranks.data(),
                members * sizeof(std::int32_t));
  const bool is_recorded = section_->append({.magic = block_magic,
                                             .run_id = section_->header().run_id,
                                             .kind = BlockKind::communicator,
                                             .rank = section_->slot().rank,
                                             .number = 0,
                                             .count = static_cast<std::uint32_t>(members),
                                             .content_bytes = bytes,
                                             .communicator = group.id,
                                             .unused = {}},
                                            content.data());
  if (!is_recorded) ++section_->slot().groups_dropped;
}

Group& Groups::find_or_add(MPI_Comm communicator) {
  const auto at = known_.find(communicator);
  if (at != known_.end()) {
    last_group_ = at->second.get();
  } else if (communicator == MPI_COMM_NULL) {
    last_group_ = known_.at(MPI_COMM_WORLD).get();  // the call is going to fail
  } else if (communicator == MPI_COMM_SELF) {
    Group self = describe(communicator);
    self.id = id_of({~std::uint64_t{0}, static_cast<std::uint64_t>(self.world_ranks.front())});
    last_group_ = &add(communicator, std::move(self), "MPI_COMM_SELF");
  } else {
    Group unknown = describe(communicator);
    unknown.id = unknown_communicator;
    last_group_ = &add(communicator, std::move(unknown), "");
  }
  last_ = communicator;
  return *last_group_;
}

Group& Groups::found(const void* handle) {
  const auto at = known_.find(handle);
  return at != known_.end() ? *at->second : unknown_;
}

const std::vector<std::int32_t>& Groups::sources_of(MPI_Comm communicator) {
  Group& group = of(communicator);
  if (group.sources) return *group.sources;
  group.sources.emplace();
  for (const int source : sources_in_topology(communicator))
    if (source != MPI_PROC_NULL) group.sources->push_back(world_rank(group, source));
  return *group.sources;
}

Group& Groups::add_made_from(Group& parent, MPI_Comm made, const char* name) {
  const std::uint32_t turn = ++parent.made_from_it;
  if (made == MPI_COMM_NULL) return parent;
  Group group = describe(made);
  if (group.is_inter)
    group.id = derived({parent.id, turn});
  else
    group.id = derived({parent.id, turn, 1 + static_cast<std::uint64_t>(group.world_ranks.front())});
  return add(made, std::move(group), name);
}

/// Counts the groups that the same members have created with this tag, because the parent's other ranks take
/// no part.
Group& Groups::add_made_by_members(MPI_Comm made, int tag, const char* name) {
  Group group = describe(made);
  const std::uint64_t side = id_of(group.world_ranks);
  const std::uint64_t own = group.is_inter ? id_of(own_side(made)) : side;
  const std::uint64_t both =
      id_of({std::min(side, own), std::max(side, own), static_cast<std::uint64_t>(tag)});
  group.id = derived({both, ++made_by_members_[both]});
  return add(made, std::move(group), name);
}

std::uint64_t Groups::derived(std::initializer_list<std::uint64_t> words) const {
  return is_deriving_ ? id_of(words) : unknown_communicator;
}

std::uint64_t Groups::promise(Group& parent) {
  const std::uint32_t first =
      parent.world_ranks.empty() ? 0 : static_cast<std::uint32_t>(parent.world_ranks.front());
  return derived({parent.id, ++parent.made_from_it, 1 + static_cast<std::uint64_t>(first)});
}

void Groups::add_promised(MPI_Comm made, std::uint64_t id) {
  Group group = describe(made);
  group.id = id;
  add(made, std::move(group), "MPI_Comm_idup");
}

Group& Groups::add_on(Group& parent, const void* handle, std::uint64_t kind, const char* name) {
  Group group = parent;
  group.made_from_it = 0;
  group.receives = 0;
  if (group.world_ranks.empty()) {  // MPI_COMM_WORLD has no list, but the new group's block needs one
    group.world_ranks.resize(static_cast<std::size_t>(group.size));
    std::iota(group.world_ranks.begin(), group.world_ranks.end(), 0);
  }
  const std::int32_t first = parent.world_ranks.empty() ? 0 : parent.world_ranks.front();
  group.id = derived({parent.id, ++parent.made_from_it, static_cast<std::uint64_t>(first), kind});
  return add(handle, std::move(group), name);
}

void Groups::rename(MPI_Comm communicator, const char* name) {
  announce(of(communicator), name);
}

void Groups::forget(MPI_Comm communicator) {
  last_ = MPI_COMM_NULL;
  const auto at = known_.find(communicator);
  if (at == known_.end()) return;
  at->second->is_freed = true;
  if (at->second->receives > 0) at->second.release();  // owned by release() from here on
  known_.erase(at);
}

}  // namespace loadshare::profile
