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

/// Files of the matrices and the product. Empty: random matrices, or a product that is not stored.
struct FileNames {
  std::string a, b, c;

  bool give_operands() const { return !a.empty(); }
};

/// One of the two factors.
enum class Operand { a, b };

/// Matrices in .npy files, which only rank 0 reads and writes. It sends every rank its row-major blocks and
/// receives those of the product. All ranks make the same calls in the same order.
class MatrixFiles final {
 public:
  /// Opens the input files. Throws UsageError on every rank unless they contain two square float64 matrices
  /// of equal size.
  MatrixFiles(const FileNames& names, spmd::Session& session);

  /// Returns the size of the matrices in files, if there are any.
  std::optional<Index> size() const { return size_; }

  /// Creates the product's file before the work, to find errors early. Throws UsageError on every rank.
  void prepare_product(Index size);
  /// Receives this rank's block of one factor.
  void scatter(Operand operand, int side, std::span<double> own);
  /// Collects the product's blocks from all ranks and completes its file.
  void store_product(Index size, int side, std::span<const double> own);

  /// Returns the memory that rank 0 needs for files, in addition to its blocks.
  static Bytes bytes_of_rank_0(Index size);

 private:
  FileNames names_;
  spmd::Session& session_;
  std::optional<Index> size_;
  std::unique_ptr<NpyFile> a_, b_;  // on rank 0
  std::unique_ptr<NpyOutput> c_;    // on rank 0
};

}  // namespace loadshare::cannon
