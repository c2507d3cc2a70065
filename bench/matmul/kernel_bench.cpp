// Measures how fast the kernels multiply chunks of few columns, compared with one OpenBLAS call for the whole
// product. Every product is verified; a wrong one fails the program.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "apps/matmul/kernels/blas_calls.hpp"
#include "apps/matmul/verify.hpp"
#include "runtime/host/page_memory.hpp"

namespace {

using loadshare::Index;
using namespace loadshare::matmul;

constexpr Index columns_held = 1024;  // of B and C: so many that a chunk finds neither in the caches
bool all_are_right = true;

std::vector<double> random_values(Index count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = uniform(engine);
  return values;
}

template <class T>
class Panels final : public PanelSource<T> {
 public:
  Panels(Index size, const Kernel<T>& kernel) : values_(size * size), size_(size) {
    const std::vector<double> raw = random_values(size * size, 1);
    std::copy(raw.begin(), raw.end(), values_.data());
    prepare(kernel);
  }

  Index rows() const override { return size_; }
  Index inner() const override { return size_; }
  const T* panel(Index index) override { return values_.data() + index * panel_rows * size_; }

  void prepare(const Kernel<T>& kernel) {
    for (Index p = 0; p < this->panels(); ++p) {
      kernel.prepare(values_.data() + p * panel_rows * size_, this->rows_in(p), size_);
    }
  }

 private:
  loadshare::PageMemory<T> values_;
  Index size_;
};

/// The data that the threads of one benchmark share.
template <class T>
struct Problem {
  Problem(const std::string& name, Index size)
      : kernel(make_kernel<T>(name, size, size)),
        a(size, *kernel),
        c(static_cast<std::size_t>(size * columns_held)) {
    const std::vector<double> raw = random_values(size * columns_held, 2);
    b.assign(raw.begin(), raw.end());
  }

  std::unique_ptr<Kernel<T>> kernel;
  Panels<T> a;
  std::vector<T> b;
  std::vector<T> c;
};

template <class T>
std::unique_ptr<Problem<T>> problem;

void count_operations(benchmark::State& state, Index size, Index columns) {
  const double operations =
      2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(columns);
  state.counters["flop/s"] = benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate,
                                                benchmark::Counter::kIs1000);
}

template <class T>
void verify(benchmark::State& state, Index columns) {
  const Problem<T>& p = *problem<T>;
  const ProductCheck check =
      verify_freivalds(Computed<T>{*p.kernel, problem<T>->a, p.b.data(), p.c.data(), columns}, 1);
  if (check.is_right()) return;
  all_are_right = false;
  state.SkipWithError(("wrong: " + describe_wrong(check)).c_str());
}

template <class T>
void multiply_chunks(benchmark::State& state, const std::string& kernel, Index size, Index width) {
  if (state.thread_index() == 0) problem<T> = std::make_unique<Problem<T>>(kernel, size);
  const Index chunks = columns_held / width / 2 * 2;  // even, so that two threads never share one
  Index chunk = state.thread_index();
  for (auto _ : state) {
    Problem<T>& p = *problem<T>;
    const Index first = chunk % chunks * width;
    p.kernel->multiply(p.a, p.b.data() + first * size, p.c.data() + first * size, width);
    chunk += state.threads();
  }
  count_operations(state, size, width);
  // Two threads may not have reached the last chunks, but the first chunk is always done.
  if (state.thread_index() == 0) verify<T>(state, width);
}

template <class T>
void prepare_panels(benchmark::State& state, const std::string& kernel, Index size) {
  const auto made = make_kernel<T>(kernel, size, size);
  Panels<T> panels(size, *made);
  for (auto _ : state) panels.prepare(*made);
  state.SetBytesProcessed(state.iterations() * size * size * static_cast<Index>(sizeof(T)));
}

void multiply_whole(benchmark::State& state, Index size, int threads) {
  loadshare::blas::openblas().library.set_threads(threads);
  const auto a = random_values(size * size, 1);
  const auto b = random_values(size * size, 2);
  std::vector<double> c(a.size());
  const Product<double> product{size,     size, size,     a.data(), Storage::row_major,
                                b.data(), size, c.data(), size};
  gemm(product);  // the library's threads need some time to spread over the cores
  for (auto _ : state) gemm(product);
  count_operations(state, size, size);
  loadshare::blas::openblas().library.set_threads(1);
}

void add_chunk_benchmark(const std::string& kernel, Index size, Index width) {
  const std::string place = fmt::format("/{}/columns:{}", size, width);
  benchmark::RegisterBenchmark((kernel + "/double" + place).c_str(), multiply_chunks<double>, kernel, size,
                               width);
  benchmark::RegisterBenchmark((kernel + "/float" + place).c_str(), multiply_chunks<float>, kernel, size,
                               width);
  benchmark::RegisterBenchmark((kernel + "/double" + place).c_str(), multiply_chunks<double>, kernel, size,
                               width)
      ->Threads(2)
      ->UseRealTime();
}

void add_benchmarks(Index size) {
  const std::string text = std::to_string(size);
  benchmark::RegisterBenchmark(("openblas/" + text + "/threads_of_blas:1").c_str(), multiply_whole, size, 1)
      ->UseRealTime();
  benchmark::RegisterBenchmark(("openblas/" + text + "/threads_of_blas:2").c_str(), multiply_whole, size, 2)
      ->UseRealTime();
  benchmark::RegisterBenchmark(("prepare/packed/double/" + text).c_str(), prepare_panels<double>, "packed",
                               size);
  benchmark::RegisterBenchmark(("prepare/packed/float/" + text).c_str(), prepare_panels<float>, "packed",
                               size);
  for (const KernelInfo& kernel : kernels()) {
    for (const Index width : {3, 16, 32, 64, 128, 512}) {
      // One width is enough for the plain loops, which take the same time for every column.
      if (kernel.name != "naive" || width == 3) add_chunk_benchmark(kernel.name, size, width);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const Index size : {2048, 4096}) add_benchmarks(size);
  benchmark::RunSpecifiedBenchmarks();
  return all_are_right ? 0 : 1;
}
