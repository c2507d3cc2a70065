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

/// The ranks that a communicator, a window or a file joins.
struct Group {
  std::uint64_t id = 0;            ///< the same on all its ranks, another one for every other group
  std::uint32_t made_from_it = 0;  ///< how many groups; the same on all its ranks
  int own_rank = 0;
  int size = 1;                             ///< of the other side, where there is one
  std::uint32_t receives = 0;               ///< under way, that will want to know whose message it was
  bool is_inter = false;                    ///< then `world_ranks` are those of the other side
  bool is_gone = false;                     ///< the program has freed it
  std::vector<std::int32_t> world_ranks{};  ///< by rank; empty: they are MPI_COMM_WORLD's
  /// Of MPI_COMM_WORLD, whose data come in neighbourhood collectives; nothing: not asked for yet.
  std::optional<std::vector<std::int32_t>> sources{};
};

/// The communicators, windows and files of this rank, by handle. A group's id is derived, without a message,
/// from what all its ranks know: the group it was made from, how many were made from that before, and its
/// first rank; or its members and how many they have made.
class Groups final {
 public:
  /// Groups are described in `section` by their first rank.
  void begin(Section& section);

  /// Never null. One that was not seen being made has the id `unknown_communicator`.
  Group& of(MPI_Comm communicator) {
    if (communicator == last_) return *last_group_;
    return find_or_add(communicator);
  }
  /// Ditto of one that was not seen being made; so is a file's.
  Group& of(MPI_Win window) { return found(window); }
  Group& of(MPI_File file) { return found(file); }
  /// The sources of its topology.
  const std::vector<std::int32_t>& sources_of(MPI_Comm communicator);

  /// `made` was made from `parent` by a call that is collective over it.
  Group& add_made_from(Group& parent, MPI_Comm made, const char* name);
  /// Made by a call that only the members take part in, with this tag.
  Group& add_made_by_members(MPI_Comm made, int tag, const char* name);
  /// Of a group to be made from `parent` that cannot be looked at yet; add_promised() takes it.
  std::uint64_t promise(Group& parent);
  void add_promised(MPI_Comm made, std::uint64_t id);
  Group& add_window(Group& parent, MPI_Win window) { return add_on(parent, window, 2, "window"); }
  Group& add_file(Group& parent, MPI_File file) { return add_on(parent, file, 3, "file"); }
  void rename(MPI_Comm communicator, const char* name);
  void forget(MPI_Comm communicator);
  void forget(MPI_Win window) { known_.erase(window); }
  void forget(MPI_File file) { known_.erase(file); }
  /// From any thread: what this rank counts is no longer what the others do, so new groups get the id
  /// `unknown_communicator`.
  void stop_deriving() { is_deriving_ = false; }
  /// A receive under way is over; the program may have freed its communicator meanwhile.
  static void release(Group& group) {
    if (--group.receives == 0 && group.is_gone) delete &group;
  }

  /// The rank of MPI_COMM_WORLD; -1 for MPI_PROC_NULL and what is out of range.
  static std::int32_t world_rank(const Group& group, int rank) {
    if (rank < 0) return -1;
    if (group.world_ranks.empty()) return rank;
    return static_cast<std::size_t>(rank) < group.world_ranks.size()
               ? group.world_ranks[static_cast<std::size_t>(rank)]
               : -1;
  }
  /// World ranks of a group's members, in its order.
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
  std::unordered_map<std::uint64_t, std::uint32_t> made_by_members_;  ///< how many, by members and tag
  std::unordered_map<const void*, std::unique_ptr<Group>> known_;
};

}  // namespace loadshare::profile
