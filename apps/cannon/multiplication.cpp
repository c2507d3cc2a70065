#include "apps/cannon/multiplication.hpp"

#include <fmt/format.h>

namespace loadshare::cannon {
namespace {

std::size_t longest_block(Index size, int side) {
  const auto longest = static_cast<std::size_t>(spmd::longest_part(size, side));
  return longest * longest;
}

std::size_t elements(spmd::Part rows, spmd::Part columns) {
  return static_cast<std::size_t>(rows.size * columns.size);
}

void require_rows(Index size, const Grid& grid) {
  if (size >= grid.side()) return;
  throw UsageError(fmt::format("--size is {}", size),
                   fmt::format("{} ranks form {} rows of ranks, and each needs at least one row",
                               grid.side() * grid.side(), grid.side()),
                   "use a larger --size or fewer ranks");
}

}  // namespace

Multiplication::Multiplication(const CannonOptions& options, spmd::Session& session, MatrixFiles& files)
    : options_(options),
      session_(session),
      files_(files),
      grid_(session.ranks(), session.rank()),
      kernel_(find_kernel(options.kernel)) {
  require_rows(options.size, grid_);
  const bool has_files = options.files.give_operands() || !options.files.c.empty();
  session.require_memory_for(bytes_a_rank(options, grid_.side()),
                             has_files ? MatrixFiles::bytes_of_rank_0(options.size) : 0,
                             fmt::format("the product of two {} x {} matrices", options.size, options.size));
  const std::size_t longest = longest_block(options.size, grid_.side());
  for (Values* values : {&a_, &b_, &arriving_}) values->resize(longest);
  c_.resize(elements(rows(), columns()));
  if (options.run.work > 1) repeated_.resize(c_.size());
  files_.prepare_product(options.size);
  make_a();
  make_b();
}

void Multiplication::store() {
  files_.store_product(options_.size, grid_.side(), c_);
}

Bytes Multiplication::bytes_a_rank(const CannonOptions& options, int side) {
  const Bytes longest = static_cast<Bytes>(spmd::longest_part(options.size, side));
  const Bytes blocks = options.run.work > 1 ? 5 : 4;
  return multiply_bytes(multiply_bytes(longest, longest), blocks * sizeof(double));
}

std::span<const double> Multiplication::make(Operand operand, Values& values) {
  const std::span<double> own = std::span(values).first(elements(rows(), columns()));
  const std::uint32_t stream = operand == Operand::a ? 0 : 1;
  if (options_.files.give_operands())
    files_.scatter(operand, grid_.side(), own);
  else
    generate_block({static_cast<std::uint64_t>(options_.run.seed), stream}, rows(), columns(), own.data());
  return own;
}

std::span<const double> Multiplication::make_a() {
  return make(Operand::a, a_);
}

std::span<const double> Multiplication::make_b() {
  return make(Operand::b, b_);
}

Index Multiplication::run() {
  skew();
  for (int step = 0; step < grid_.side(); ++step) {
    session_.progress(step, grid_.side());
    multiply(step);
    if (step + 1 < grid_.side()) pass_on(step);
  }
  return static_cast<Index>(c_.size());
}

void Multiplication::skew() {
  if (grid_.row() > 0) shift_a(grid_.row(), grid_.column(), inner_of(0));
  if (grid_.column() > 0) shift_b(grid_.column(), grid_.row(), inner_of(0));
}

void Multiplication::pass_on(int step) {
  shift_a(1, inner_of(step), inner_of(step + 1));
  shift_b(1, inner_of(step), inner_of(step + 1));
}

void Multiplication::shift_a(int by, int inner, int next_inner) {
  session_.exchange().shift(
      std::span<const double>(a_).first(elements(rows(), part(inner))), grid_.neighbour(-by, 0),
      std::span(arriving_).first(elements(rows(), part(next_inner))), grid_.neighbour(by, 0));
  a_.swap(arriving_);
}

void Multiplication::shift_b(int by, int inner, int next_inner) {
  session_.exchange().shift(
      std::span<const double>(b_).first(elements(part(inner), columns())), grid_.neighbour(0, -by),
      std::span(arriving_).first(elements(part(next_inner), columns())), grid_.neighbour(0, by));
  b_.swap(arriving_);
}

void Multiplication::multiply(int step) {
  BlockProduct product{rows().size, part(inner_of(step)).size, columns().size, a_.data(),
                       b_.data(),   repeated_.data()};
  session_.clock().compute([&] {
    for (Index time = 1; time < options_.run.work; ++time) kernel_(product);
    product.c = c_.data();
    kernel_(product);
  });
}

}  // namespace loadshare::cannon
