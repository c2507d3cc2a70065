#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace loadshare::profile {

class Section;

/// The ranks of a communicator, a window or a file.
struct Group {
  std::uint64_t id = 0;            ///< the same on all its ranks, and unique
  std::uint32_t made_from_it = 0;  ///< number of groups created from this one; the same on all its ranks
  int own_rank = 0;
  int size = 1;                ///< number of members; of an intercommunicator: that of its remote group
  std::uint32_t receives = 0;  ///< pending receives that refer to this group
  bool is_inter = false;       ///< an intercommunicator: `world_ranks` are the remote group's
  bool is_freed = false;       ///< the program has freed it
  std::vector<std::int32_t> world_ranks{};  ///< by rank; empty: the same as in MPI_COMM_WORLD
  /// Ranks of MPI_COMM_WORLD that this rank receives from in neighbourhood collectives; nothing: not yet
  /// determined.
  std::optional<std::vector<std::int32_t>> sources{};
};

/// The communicators, windows and files of this rank, by handle. A group's id is derived from facts that all
/// its ranks know, so it needs no messages. These are the parent group, the number of groups created from it
/// before, and the first rank. For groups that only their members create, they are the members and the number
/// of groups that these have created.
class Groups final {
 public:
  /// Starts with MPI_COMM_WORLD. The first rank of each group describes it in `section`.
  void begin(Section& section);

  /// Returns the communicator's group. A communicator whose creation was not recorded has the id
  /// `unknown_communicator`.
  Group& of(MPI_Comm communicator) {
    if (communicator == last_) return *last_group_;
    return find_or_add(communicator);
  }
  /// Likewise for windows and files.
  Group& of(MPI_Win window) { return found(window); }
  Group& of(MPI_File file) { return found(file); }
  /// Returns the ranks that this rank receives from in the communicator's topology.
  const std::vector<std::int32_t>& sources_of(MPI_Comm communicator);

  /// Adds `made`, created from `parent` by a call that is collective over `parent`.
  Group& add_made_from(Group& parent, MPI_Comm made, const char* name);
  /// Adds `made`, created by a call with this tag in which only the members take part.
  Group& add_made_by_members(MPI_Comm made, int tag, const char* name);
  /// Returns the id of a group that is being created from `parent` and cannot be examined yet. add_promised()
  /// adds it.
  std::uint64_t promise(Group& parent);
  void add_promised(MPI_Comm made, std::uint64_t id);
  Group& add_window(Group& parent, MPI_Win window) { return add_on(parent, window, 2, "window"); }
  Group& add_file(Group& parent, MPI_File file) { return add_on(parent, file, 3, "file"); }
  void rename(MPI_Comm communicator, const char* name);
  void forget(MPI_Comm communicator);
  void forget(MPI_Win window) { known_.erase(window); }
  void forget(MPI_File file) { known_.erase(file); }
  /// Gives all groups created from now on the id `unknown_communicator`, because this rank's counts no longer
  /// match those of the other ranks. For any thread.
  void stop_deriving() { is_deriving_ = false; }
  /// Ends a pending receive. Deletes the group if the program has freed its communicator meanwhile.
  static void release(Group& group) {
    if (--group.receives == 0 && group.is_freed) delete &group;
  }

  /// Returns the rank in MPI_COMM_WORLD; -1 for MPI_PROC_NULL and ranks out of range.
  static std::int32_t world_rank(const Group& group, int rank) {
    if (rank < 0) return -1;
    if (group.world_ranks.empty()) return rank;
    return static_cast<std::size_t>(rank) < group.world_ranks.size()
               ? group.world_ranks[static_cast<std::size_t>(rank)]
               : -1;
  }
  /// Returns the members of an MPI group as ranks of MPI_COMM_WORLD, in the group's order.
  static std::vector<std::int32_t> world_ranks_of(MPI_Group group);

 private:
  Group& find_or_add(MPI_Comm communicator);
  Group& found(const void* handle);
  Group& add_on(Group& parent, const void* handle, std::uint64_t kind, const char* name);
  Group& add(const void* handle, Group group, const char* name);
  void announce(const Group& group, const char* name);
  std::uint64_t derived(std::initializer_list<std::uint64_t> words) const;

  Group unknown_{.id = unknown_communicator};
  MPI_Comm last_ = MPI_COMM_NULL;
  Group* last_group_ = nullptr;
  Section* section_ = nullptr;
  std::atomic<bool> is_deriving_ = true;
  /// Number of groups, by members and tag.
  std::unordered_map<std::uint64_t, std::uint32_t> made_by_members_;
  std::unordered_map<const void*, std::unique_ptr<Group>> known_;
};

}  // namespace loadshare::profile
