#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/common/matrix/operands.hpp"
#include "apps/spmd/parts.hpp"
#include "apps/spmd/session.hpp"

namespace loadshare::cannon {

/// Where the matrices come from and the product goes; empty: they are random ones, it goes nowhere.
struct FileNames {
  std::string a, b, c;

  bool give_operands() const { return !a.empty(); }
};

/// Which matrix is asked for.
enum class Operand { a, b };

/// The matrices in .npy files, which rank 0 alone reads and writes: every rank gets its blocks of them, row
/// after row, and gives back those of the product. All ranks make the same calls in the same order.
class MatrixFiles final {
 public:
  /// Opens what is read. Throws UsageError, everywhere, where they are not two square float64 matrices of one
  /// size.
  MatrixFiles(const FileNames& names, spmd::Session& session);

  /// Of the matrices in the files, if there are any.
  std::optional<Index> size() const { return size_; }

  /// Makes the product's file, before the work: then it can be had. Throws UsageError, everywhere.
  void prepare_product(Index size);
  /// This rank's block of that one.
  void scatter(Operand operand, int side, std::span<double> own);
  /// Puts the ranks' blocks of the product together, and their file in its place.
  void store_product(Index size, int side, std::span<const double> own);

  /// What rank 0 needs for it, beside the blocks.
  static Bytes bytes_of_rank_0(Index size);

 private:
  FileNames names_;
  spmd::Session& session_;
  std::optional<Index> size_;
  std::unique_ptr<NpyFile> a_, b_;  // rank 0's
  std::unique_ptr<NpyOutput> c_;    // ditto
};

}  // namespace loadshare::cannon
