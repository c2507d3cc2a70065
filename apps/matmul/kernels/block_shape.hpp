#pragma once

#include <string>

#include "base/types.hpp"

namespace loadshare::matmul {

/// One core, as far as the shape of blocks follows from it.
struct Core {
  Index first_cache_bytes;
  Index second_cache_bytes;
  Index vector_bytes;  ///< of the code that is generated for it

  /// The one at hand.
  static Core here();
};

/// How the packed kernel cuts a product: a block of A is `panel_rows` x `inner`, and stays in the second
/// cache while `group` columns of B are multiplied by it, `tile` of them at a time.
struct BlockShape {
  Index tile;   ///< columns of C that the generated code keeps in registers
  Index inner;  ///< of a block, at most
  Index group;  ///< columns that share one pass over A, at most
  Index slab;   ///< elements of B that are packed at once, at most

  bool operator==(const BlockShape&) const = default;
};

/// The shape for elements of so many bytes. It follows from the caches alone, so all ranks of a host have the
/// same and every run has the same again, however busy the host is; a panel's form does not depend on it, so
/// hosts may differ.
///
/// The model is that of Goto and van de Geijn (Anatomy of high-performance matrix multiplication, 2008) and
/// Low et al. (Analytical modeling is enough for high-performance BLIS, 2016) for panels of fixed height:
/// - `tile` columns of B, `inner` long, take half of the first cache, past which the block of A streams;
/// - the block of A, the next one on its way, and what of B and C passes by meanwhile take three quarters
///   of the second: 2 rows inner + group inner + rows group elements;
/// - of the shapes that fit, the one that moves least: for every multiplication 1 / group elements of A
///   come from memory, and 1 / inner of C are loaded and stored again, which costs half as much. That ratio
///   was measured, and that more than 192 columns win less than their memory is worth where the second cache
///   has 1 MiB (an EPYC, AVX-512 and AVX2), while with 2 MiB 384 make 78.7 GFLOP/s where 192 make 76.0 (each
///   of two cores of a Xeon, AVX-512).
/// Narrower chunks pass in groups of their own width. A longer `inner`, for which they leave room, would win
/// them nothing: 16 columns of a 4096 product made 49.0, 49.6, 50.0, 50.4 and 50.4 GFLOP/s at best with 192,
/// 256, 320, 384 and 512, and 42.0 with 640 (one core of that EPYC, AVX-512).
BlockShape block_shape(const Core& core, Index element_bytes);

/// "64 x 6 x 256, at most 192 columns a pass", `inner` being what a block of the product at hand has.
std::string text_of(const BlockShape& shape, Index inner);

}  // namespace loadshare::matmul
