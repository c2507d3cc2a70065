#include "apps/matmul/workload.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace loadshare::matmul {
namespace {

/// Thrown if all chunks of a call are cancelled.
struct Cancelled {};

/// The panels of A on a worker, for some chunks. It may have to wait for each of them.
template <class T>
class ArrivingPanels final : public PanelSource<T> {
 public:
  /// `times` is the number of times that the chunks' product is computed.
  ArrivingPanels(const ProductShape& shape, std::span<Work> works, Index times)
      : shape_(shape), works_(works) {
    for (const Work& work : works) multiplications_ += work.chunk().size * shape.inner * shape.rows * times;
  }
  Index rows() const override { return shape_.rows; }
  Index inner() const override { return shape_.inner; }
  const T* panel(Index index) override {
    const auto bytes = works_.front().shared_piece(static_cast<std::size_t>(index));
    if (std::ranges::all_of(works_, &Work::is_cancelled)) throw Cancelled{};
    return reinterpret_cast<const T*>(bytes.data());
  }
  void advanced(Index multiplications) override {
    done_ += multiplications;
    const double share = static_cast<double>(done_) / static_cast<double>(multiplications_);
    for (Work& work : works_)
      work.progressed(static_cast<Index>(share * static_cast<double>(work.chunk().size)));
  }

 private:
  ProductShape shape_;
  std::span<Work> works_;
  Index multiplications_ = 0;
  Index done_ = 0;
};

}  // namespace

template <class T>
MatmulWorkload<T>::MatmulWorkload(const ProductShape& shape, const ProductMatrices<T>& matrices,
                                  const Kernel<T>& kernel, Index work, std::optional<Index> fail_column)
    : shape_(shape), matrices_(matrices), kernel_(kernel), work_(work), fail_column_(fail_column) {}

template <class T>
std::size_t MatmulWorkload<T>::input_bytes(Chunk chunk) const {
  return static_cast<std::size_t>(chunk.size * shape_.inner) * sizeof(T);
}

template <class T>
std::size_t MatmulWorkload<T>::output_bytes(Chunk chunk) const {
  return static_cast<std::size_t>(chunk.size * shape_.rows) * sizeof(T);
}

template <class T>
std::span<const std::byte> MatmulWorkload<T>::input(Chunk chunk) const {
  return std::as_bytes(part_of_chunk<const T>(matrices_.b, static_cast<std::size_t>(shape_.inner), chunk));
}

template <class T>
std::span<std::byte> MatmulWorkload<T>::output(Chunk chunk) {
  return std::as_writable_bytes(part_of_chunk(matrices_.c, static_cast<std::size_t>(shape_.rows), chunk));
}

template <class T>
std::size_t MatmulWorkload<T>::shared_piece_bytes() const {
  return static_cast<std::size_t>(std::max<Index>(1, panel_rows * shape_.inner)) * sizeof(T);
}

template <class T>
void MatmulWorkload<T>::prepare_shared(std::size_t panel, std::span<std::byte> bytes) {
  const Index rows = std::min(panel_rows, shape_.rows - static_cast<Index>(panel) * panel_rows);
  kernel_.prepare(reinterpret_cast<T*>(bytes.data()), rows, shape_.inner);
}

template <class T>
std::string MatmulWorkload<T>::way() const {
  const std::string note = kernel_.note();
  return note.empty() ? kernel_.blocks() : note;
}

template <class T>
void MatmulWorkload<T>::compute(Work& work) {
  compute_together({&work, 1});
}

template <class T>
void MatmulWorkload<T>::compute_together(std::span<Work> works) {
  std::vector<ChunkColumns<T>> chunks;
  for (const Work& work : works) {
    const Chunk chunk = work.chunk();
    if (fail_column_ && *fail_column_ >= chunk.first && *fail_column_ < chunk.end())
      throw std::runtime_error("column " + std::to_string(*fail_column_) + " was to fail");
    chunks.push_back({reinterpret_cast<const T*>(work.input().data()),
                      reinterpret_cast<T*>(work.output().data()), chunk.size});
  }
  ArrivingPanels<T> a(shape_, works, work_);
  try {
    for (Index time = 0; time < work_; ++time) {
      kernel_.multiply_together(a, chunks);
      asm volatile(""
                   :
                   :
                   : "memory");  // keeps each repetition: the compiler must assume that its result is read
    }
  } catch (const Cancelled&) {
    // The outputs are undefined now and are not read.
  }
}

template class MatmulWorkload<float>;
template class MatmulWorkload<double>;

}  // namespace loadshare::matmul
