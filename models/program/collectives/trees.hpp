#pragma once

#include <vector>

namespace loadshare::timing_graph::collectives {

/// A member's place in a tree of all members.
struct Tree {
  int parent = -1;  ///< -1: it is the root
  std::vector<int> children;
  int below = 1;  ///< members of its subtree, itself included (of binomial_in_order)
};

/// One member hands on to the next.
Tree chain(int size, int root, int member);
Tree binary(int size, int root, int member);
/// Children at distances 2^k beyond the member's own highest bit.
Tree binomial(int size, int root, int member);
/// Children at distances below the member's own lowest bit: a subtree is a run of members.
Tree binomial_in_order(int size, int root, int member);
/// A k-nomial tree of radix 4.
Tree knomial(int size, int root, int member);

int largest_power_of_two(int most);

/// Which of two neighbours goes on for both.
enum class Taker { odd, even };

/// How members that exchange in pairs come to be a power of two: of the first 2 (size - power), one of each
/// two neighbours gives what it has to the other, and has no part in the exchanges.
class Folding final {
 public:
  Folding(int size, int member, Taker taker);

  int paired() const { return paired_; }
  bool is_giving() const { return member_ < 2 * extra_ && !is_taking(member_); }
  bool is_taking() const { return is_taking(member_); }
  bool is_taking(int member) const {
    return member < 2 * extra_ && (member % 2 != 0) == (taker_ == Taker::odd);
  }
  bool takes_part() const { return !is_giving(); }
  /// Whom a member gives to or takes from.
  int mate() const { return member_ ^ 1; }
  /// Among those that take part, counted from 0.
  int place() const { return member_ < 2 * extra_ ? member_ / 2 : member_ - extra_; }
  int member_at(int place) const {
    return place < extra_ ? 2 * place + (taker_ == Taker::odd ? 1 : 0) : place + extra_;
  }
  int partner(int mask) const { return member_at(place() ^ mask); }

 private:
  int member_;
  Taker taker_;
  int paired_;
  int extra_;
};

}  // namespace loadshare::timing_graph::collectives
