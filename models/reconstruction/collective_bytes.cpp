#include "models/reconstruction/collective_bytes.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace loadshare::reconstruction {

namespace {

struct Row {
  std::string_view name;
  double (*bytes)(const CollectiveShare& share);
};

double as_told(const CollectiveShare& share) {
  return share.bytes;
}
double in_and_out_alike(const CollectiveShare& share) {
  return share.bytes / 2;
}
double to_and_from_each(const CollectiveShare& share) {
  return share.bytes / (2 * share.ranks);
}
/// One piece goes in and all come out, or all go in and one comes out.
double own_and_everybodys(const CollectiveShare& share) {
  return share.bytes / (share.ranks + 1);
}
/// The root has its own piece, and all pieces.
double piece_of_root(const CollectiveShare& share) {
  return share.is_root ? own_and_everybodys(share) : share.bytes;
}
double whole_at_root(const CollectiveShare& share) {
  return share.is_root ? in_and_out_alike(share) : share.bytes;
}

constexpr std::array table{
    Row{"barrier", as_told},
    Row{"bcast", as_told},
    Row{"reduce", whole_at_root},
    Row{"allreduce", in_and_out_alike},
    Row{"scan", in_and_out_alike},
    Row{"exscan", in_and_out_alike},
    Row{"gather", piece_of_root},
    Row{"gatherv", piece_of_root},
    Row{"scatter", piece_of_root},
    Row{"scatterv", piece_of_root},
    Row{"allgather", own_and_everybodys},
    Row{"allgatherv", own_and_everybodys},
    Row{"alltoall", to_and_from_each},
    Row{"alltoallv", to_and_from_each},
    Row{"reduce_scatter", own_and_everybodys},
    Row{"reduce_scatter_block", own_and_everybodys},
};

const Row* find(std::string_view name) {
  const auto row = std::ranges::find(table, name, &Row::name);
  return row == table.end() ? nullptr : &*row;
}

}  // namespace

std::optional<std::string> collective_name(std::string_view call) {
  constexpr std::string_view prefix = "MPI_";
  std::string name(call.substr(prefix.size()));
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (find(name) != nullptr) return name;
  if (name.starts_with('i') && find(name.substr(1)) != nullptr) return name.substr(1);
  return std::nullopt;
}

double collective_bytes(std::string_view name, const CollectiveShare& share) {
  return find(name)->bytes(share);
}

}  // namespace loadshare::reconstruction
