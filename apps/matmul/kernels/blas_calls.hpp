#pragma once

#include "base/types.hpp"

namespace loadshare::matmul {

/// How the first factor of a product lies in memory.
enum class Storage { column_major, row_major };

/// C = A B by one BLAS call. A is rows x inner without gaps between its rows or columns; B is column-major
/// with leading dimension `b_stride`, C is column-major with leading dimension `c_stride`.
/// Every dimension must fit in an int; see `fits_blas`.
template <class T>
struct Product {
  Index rows;
  Index inner;
  Index columns;
  const T* a;
  Storage a_storage;
  const T* b;
  Index b_stride;
  T* c;
  Index c_stride;
};
void gemm(const Product<double>& product);
void gemm(const Product<float>& product);

/// Whether BLAS, whose sizes are ints, can count this far.
bool fits_blas(Index size);

/// Limits BLAS to one thread: a worker has one core. Done once a process; later calls change nothing.
void use_one_blas_thread();

/// Lets BLAS use so many threads from now on, for references that are to use the whole machine.
void set_blas_threads(int threads);

/// The number of threads a BLAS call would use now, for the record.
int blas_threads();

/// The library and the processor kernels it chose, e.g. "OpenBLAS 0.3.21 ... Cooperlake", for the record.
const char* blas_version();

}  // namespace loadshare::matmul
