#pragma once

#include <string>

#include "base/types.hpp"

namespace loadshare::matmul {

/// Properties of a core that determine the shape of blocks.
struct Core {
  Index first_cache_bytes;
  Index second_cache_bytes;
  Index vector_bytes;  ///< of the code generated for it

  /// Returns this machine's core.
  static Core here();
};

/// How the packed kernel divides a product. A block of A is `panel_rows` x `inner` and stays in the second
/// cache while `group` columns of B are multiplied by it, `tile` of them at a time.
struct BlockShape {
  Index tile;   ///< columns of C that the generated code keeps in registers
  Index inner;  ///< maximum inner dimension of a block
  Index group;  ///< maximum number of columns that share one pass over A
  Index slab;   ///< maximum number of elements of B that are packed at a time

  bool operator==(const BlockShape&) const = default;
};

/// Returns the shape for elements of this size. It depends only on the caches, not on other load, so that all
/// ranks of a host and all runs use the same shape. The form of a panel does not depend on it, so hosts may
/// differ.
///
/// The model is that of Goto and van de Geijn (Anatomy of high-performance matrix multiplication, 2008) and
/// Low et al. (Analytical modeling is enough for high-performance BLIS, 2016) for panels of fixed height:
/// - `tile` columns of B, `inner` long, take half of the first cache, past which the block of A streams.
/// - The block of A, the next one on its way, and the parts of B and C in use take three quarters of the
///   second cache: 2 rows inner + group inner + rows group elements.
/// - Of the shapes that fit, the one with the least traffic is chosen. Per multiplication, 1 / group elements
///   of A come from memory, and 1 / inner elements of C are loaded and stored, at half the cost (measured).
/// - With a second cache of 1 MiB (an EPYC, AVX-512 and AVX2), more than 192 columns gain less than their
///   memory is worth. With 2 MiB, 384 columns run at 78.7 GFLOP/s and 192 at 76.0 (each of two cores of a
///   Xeon, AVX-512).
///
/// Narrower chunks use groups of their own width. There is room for a longer `inner` then, but it gains
/// nothing:
///
///      inner    192   256   320   384   512   640
///      GFLOP/s 49.0  49.6  50.0  50.4  50.4  42.0
///
/// (best results, 16 columns of a 4096 product, one core of that EPYC, AVX-512).
BlockShape block_shape(const Core& core, Index element_bytes);

/// Returns "64 x 6 x 256, at most 192 columns a pass". `inner` is that of the product's blocks.
std::string text_of(const BlockShape& shape, Index inner);

}  // namespace loadshare::matmul
