#include "models/program/collectives/algorithms.hpp"

#include <algorithm>
#include <vector>

#include "models/program/collectives/table.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

/// Two members reduce a half each; then one has both.
void fold(const Folding& folding, double bytes, MessageWriter& out) {
  out.exchange(folding.mate(), bytes / 2, folding.mate());
  out.reduce(bytes / 2);
  if (folding.is_giving())
    out.send(folding.mate(), bytes / 2);
  else
    out.receive(folding.mate());
}

void scatterv_after_reduce(const Call& call, int member, MessageWriter& out) {
  Call whole = call;
  whole.bytes.assign(call.bytes.size(), call.total());
  write("reduce", whole, member, out);
  scatterv_linear(call, member, out);
}

double bytes_of(const Call& call, const Folding& folding, int first_place, int count) {
  double sum = 0;
  for (int place = first_place; place < first_place + count; ++place) {
    const int member = folding.member_at(place);
    sum += call.of(member) + (folding.is_taking(member) ? call.of(member - 1) : 0);
  }
  return sum;
}

}  // namespace

void barrier_bruck(const Call& call, int member, MessageWriter& out) {
  for (int distance = 1; distance < call.size; distance <<= 1)
    out.exchange(call.after(member, distance), 0, call.after(member, -distance));
}

/// Everybody tells member 0, which then tells everybody.
void barrier_linear(const Call& call, int member, MessageWriter& out) {
  if (member != 0) {
    out.send(0, 0);
    out.receive(0);
    return;
  }
  for (int other = 1; other < call.size; ++other) out.begin_receive(other);
  out.wait_all();
  for (int other = 1; other < call.size; ++other) out.send(other, 0);
}

/// Members beyond the largest power of two report to one of the others, which exchange in pairs.
void barrier_recursive_doubling(const Call& call, int member, MessageWriter& out) {
  const int paired = largest_power_of_two(call.size);
  if (member >= paired) return out.exchange(member - paired, 0, member - paired);
  const bool has_extra = member + paired < call.size;
  if (has_extra) out.receive(member + paired);
  for (int mask = 1; mask < paired; mask <<= 1) out.exchange(member ^ mask, 0, member ^ mask);
  // Synchronous in Open MPI, which here only means that it goes on after an answer: the receive is posted
  // long since, and not every calibration has measured that mode.
  if (has_extra) out.send(member + paired, 0);
}

/// Up a binomial tree and down again.
void barrier_tree(const Call& call, int member, MessageWriter& out) {
  const auto is_pair = [&](int other, int jump) { return (other & (jump - 1)) == 0 && other < call.size; };
  int jump = 1;
  for (; jump < call.size; jump <<= 1) {
    const int other = member ^ jump;
    if (!is_pair(other, jump)) continue;
    other > member ? out.receive(other) : out.send(other, 0);
  }
  for (jump >>= 1; jump > 0; jump >>= 1) {
    const int other = member ^ jump;
    if (!is_pair(other, jump)) continue;
    other > member ? out.send(other, 0) : out.receive(other);
  }
}

/// The root sends to each.
void bcast_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.receive(call.root);
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.begin_send(other, call.of(call.root));
  out.wait_all();
}

/// van de Geijn: the message is cut into parts that are scattered, then gathered everywhere.
void bcast_scatter_allgather(const Call& call, int member, MessageWriter& out) {
  Call parts = call;
  std::fill(parts.bytes.begin(), parts.bytes.end(), call.of(call.root) / call.size);
  scatter_binomial(parts, member, out);
  if (largest_power_of_two(call.size) == call.size)
    allgather_recursive_doubling(parts, member, out);
  else
    allgather_ring(parts, member, out);
}

/// The root receives from each, the last first.
void reduce_linear(const Call& call, int member, MessageWriter& out) {
  const double bytes = call.of(call.root);
  if (member != call.root) return out.send(call.root, bytes);
  for (int other = call.size - 1; other >= 0; --other) {
    if (other == call.root) continue;
    out.receive(other);
    out.reduce(bytes);
  }
}

/// A reduce to member 0, then a bcast.
void allreduce_nonoverlapping(const Call& call, int member, MessageWriter& out) {
  Call rooted = call;
  rooted.root = 0;
  write("reduce", rooted, member, out);
  write("bcast", rooted, member, out);
}

/// Rabenseifner: a reduce_scatter by halves, then an allgather by doubling.
void allreduce_rabenseifner(const Call& call, int member, MessageWriter& out) {
  const double bytes = call.of(0);
  const Folding folding(call.size, member, Taker::even);
  if (folding.is_giving() || folding.is_taking()) fold(folding, bytes, out);
  double part = bytes;
  for (int mask = 1; folding.takes_part() && mask < folding.paired(); mask <<= 1) {
    part /= 2;
    out.exchange(folding.partner(mask), part, folding.partner(mask));
    out.reduce(part);
  }
  for (int mask = folding.paired() >> 1; folding.takes_part() && mask > 0; mask >>= 1, part *= 2)
    out.exchange(folding.partner(mask), part, folding.partner(mask));
  if (folding.is_giving()) out.receive(folding.mate());
  if (folding.is_taking()) out.send(folding.mate(), bytes);
}

/// Exchanges of the whole in pairs at distance 1, 2, 4 ...
void allreduce_recursive_doubling(const Call& call, int member, MessageWriter& out) {
  const double bytes = call.of(0);
  const Folding folding(call.size, member, Taker::odd);
  if (folding.is_giving()) out.send(folding.mate(), bytes);
  if (folding.is_taking()) {
    out.receive(folding.mate());
    out.reduce(bytes);
  }
  for (int mask = 1; folding.takes_part() && mask < folding.paired(); mask <<= 1) {
    const int other = folding.partner(mask);
    out.exchange(other, bytes, other);
    out.reduce(bytes);
  }
  if (folding.is_giving()) out.receive(folding.mate());
  if (folding.is_taking()) out.send(folding.mate(), bytes);
}

/// Parts go around the ring twice: once to be reduced, once to be known. Fewer elements (taken as 8 bytes
/// long) than members: by recursive doubling.
void allreduce_ring(const Call& call, int member, MessageWriter& out) {
  constexpr double element_bytes = 8;
  if (call.of(0) < element_bytes * call.size) return allreduce_recursive_doubling(call, member, out);
  Call parts = call;
  std::fill(parts.bytes.begin(), parts.bytes.end(), call.of(0) / call.size);
  reduce_scatter_ring(parts, member, out);
  allgather_ring(parts, member, out);
}

/// Down a binomial tree, each member with what its subtree gave it.
void gather_binomial(const Call& call, int member, MessageWriter& out) {
  const Tree tree = binomial_in_order(call.size, call.root, member);
  for (const int child : tree.children) out.receive(child);
  if (tree.parent >= 0) out.send(tree.parent, call.of_some(member, tree.below));
}

/// The root receives from each in turn.
void gather_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.send(call.root, call.of(member));
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.receive(other);
}

/// The root calls each member up in turn. As messages are not cut, the second segment is empty.
void gather_linear_sync(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) {
    out.receive(call.root);
    out.send(call.root, call.of(member));
    out.send(call.root, 0);
    return;
  }
  std::vector<std::uint32_t> rests;
  for (int other = 0; other < call.size; ++other) {
    if (other == call.root) continue;
    const std::uint32_t block = out.begin_receive(other);
    out.send(other, 0);
    rests.push_back(out.begin_receive(other));
    out.wait(block);
  }
  for (const std::uint32_t rest : rests) out.wait(rest);
}

/// The root receives in turn from each that has something.
void gatherv_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) {
    if (call.of(member) > 0) out.send(call.root, call.of(member));
    return;
  }
  for (int other = 0; other < call.size; ++other)
    if (other != call.root && call.of(other) > 0) out.receive(other);
}

/// Up a binomial tree, each member with what its subtree gets.
void scatter_binomial(const Call& call, int member, MessageWriter& out) {
  const Tree tree = binomial_in_order(call.size, call.root, member);
  if (tree.parent >= 0) out.receive(tree.parent);
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
    out.send(*child, call.of_some(*child, binomial_in_order(call.size, call.root, *child).below));
}

/// The root sends to each in turn.
void scatter_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.receive(call.root);
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.send(other, call.of(other));
}

/// The root sends to all at once.
void scatter_linear_nb(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) return out.receive(call.root);
  for (int other = 0; other < call.size; ++other)
    if (other != call.root) out.begin_send(other, call.of(other));
  out.wait_all();
}

/// The root sends in turn to each that gets something.
void scatterv_linear(const Call& call, int member, MessageWriter& out) {
  if (member != call.root) {
    if (call.of(member) > 0) out.receive(call.root);
    return;
  }
  for (int other = 0; other < call.size; ++other)
    if (other != call.root && call.of(other) > 0) out.send(other, call.of(other));
}

/// In step k everybody passes the 2^k blocks it has to the member 2^k before it.
void allgather_bruck(const Call& call, int member, MessageWriter& out) {
  for (int distance = 1; distance < call.size; distance <<= 1) {
    const int count = std::min(distance, call.size - distance);
    out.exchange(call.after(member, -distance), call.of_some(member, count), call.after(member, distance));
  }
}

/// Neighbours on both sides exchange two blocks in turn; for even sizes only.
void allgather_neighbor(const Call& call, int member, MessageWriter& out) {
  if (call.size % 2 != 0) return allgather_ring(call, member, out);
  const int side = member % 2 == 0 ? 1 : -1;
  const int neighbors[] = {call.after(member, side), call.after(member, -side)};
  int newest[] = {member & ~1, member & ~1};
  out.exchange(neighbors[0], call.of(member), neighbors[0]);
  int sending = member & ~1;
  for (int step = 1; step < call.size / 2; ++step) {
    const int turn = step % 2;
    newest[turn] = call.after(newest[turn], turn == 0 ? 2 * side : -2 * side);
    out.exchange(neighbors[turn], call.of_some(sending, 2), neighbors[turn]);
    sending = newest[turn];
  }
}

/// Pairs at distance 1, 2, 4 ... exchange what they have; for powers of two only.
void allgather_recursive_doubling(const Call& call, int member, MessageWriter& out) {
  if (largest_power_of_two(call.size) != call.size) return allgather_bruck(call, member, out);
  for (int distance = 1; distance < call.size; distance <<= 1) {
    const int other = member ^ distance;
    out.exchange(other, call.of_some(member & ~(distance - 1), distance), other);
  }
}

/// Blocks go around the ring.
void allgather_ring(const Call& call, int member, MessageWriter& out) {
  for (int step = 0; step < call.size - 1; ++step)
    out.exchange(call.after(member, 1), call.of(call.after(member, -step)), call.after(member, -1));
}

/// A gatherv to member 0, then a bcast of all blocks.
void allgatherv_default(const Call& call, int member, MessageWriter& out) {
  Call rooted = call;
  rooted.root = 0;
  gatherv_linear(rooted, member, out);
  rooted.bytes.assign(call.bytes.size(), call.total());
  write("bcast", rooted, member, out);
}

void exchange_two_proc(const Call& call, int member, MessageWriter& out) {
  out.exchange(1 - member, call.of(member), 1 - member);
}

/// In step k everybody sends the blocks whose distance has the bit k to the member 2^k after it.
void alltoall_bruck(const Call& call, int member, MessageWriter& out) {
  for (int distance = 1; distance < call.size; distance <<= 1) {
    int blocks = 0;
    for (int block = 1; block < call.size; ++block) blocks += (block & distance) != 0 ? 1 : 0;
    out.exchange(call.after(member, distance), blocks * call.of(member), call.after(member, -distance));
  }
}

/// Everything is begun at once. "Linear with synchronization" is the same, as its window is not limited.
void alltoall_linear(const Call& call, int member, MessageWriter& out) {
  for (int step = 1; step < call.size; ++step) out.begin_receive(call.after(member, step));
  for (int step = 1; step < call.size; ++step) out.begin_send(call.after(member, -step), call.of(member));
  out.wait_all();
}

/// In step k everybody sends to the member k after it.
void alltoall_pairwise(const Call& call, int member, MessageWriter& out) {
  for (int step = 1; step < call.size; ++step)
    out.exchange(call.after(member, step), call.of(member), call.after(member, -step));
}

/// Everything is begun at once.
void alltoallv_linear(const Call& call, int member, MessageWriter& out) {
  for (int other = 0; other < call.size; ++other)
    if (other != member) out.begin_receive(other);
  for (int other = 0; other < call.size; ++other)
    if (other != member) out.begin_send(other, call.between(member, other));
  out.wait_all();
}

/// In step k everybody sends to the member k after it.
void alltoallv_pairwise(const Call& call, int member, MessageWriter& out) {
  for (int step = 1; step < call.size; ++step) {
    const int to = call.after(member, step);
    out.exchange(to, call.between(member, to), call.after(member, -step));
  }
}

/// A reduce to member 0, then a scatterv.
void reduce_scatter_nonoverlapping(const Call& call, int member, MessageWriter& out) {
  Call rooted = call;
  rooted.root = 0;
  scatterv_after_reduce(rooted, member, out);
}

/// Pairs exchange the half the other is to have, from the largest distance down.
void reduce_scatter_recursive_halving(const Call& call, int member, MessageWriter& out) {
  const Folding folding(call.size, member, Taker::odd);
  if (folding.is_giving()) {
    out.send(folding.mate(), call.total());
    return out.receive(folding.mate());
  }
  if (folding.is_taking()) {
    out.receive(folding.mate());
    out.reduce(call.total());
  }
  int first = 0;
  for (int half = folding.paired() >> 1; half > 0; half >>= 1) {
    const bool is_low = folding.place() < first + half;
    const int other = folding.partner(half);
    out.exchange(other, bytes_of(call, folding, is_low ? first + half : first, half), other);
    if (!is_low) first += half;
    out.reduce(bytes_of(call, folding, first, half));
  }
  if (folding.is_taking()) out.send(folding.mate(), call.of(member - 1));
}

/// Blocks go around the ring, each to end at its owner.
void reduce_scatter_ring(const Call& call, int member, MessageWriter& out) {
  const int to = call.after(member, 1), from = call.after(member, -1);
  std::uint32_t coming = out.begin_receive(from);
  out.send(to, call.of(from));
  for (int step = 2; step < call.size; ++step) {
    const std::uint32_t next = out.begin_receive(from);
    const int block = call.after(member, -step);
    out.wait(coming);
    out.reduce(call.of(block));
    out.send(to, call.of(block));
    coming = next;
  }
  out.wait(coming);
  out.reduce(call.of(member));
}

/// From each member to the next; exscan too.
void scan_linear(const Call& call, int member, MessageWriter& out) {
  if (member > 0) {
    out.receive(member - 1);
    out.reduce(call.of(0));
  }
  if (member + 1 < call.size) out.send(member + 1, call.of(0));
}

}  // namespace loadshare::timing_graph::collectives
