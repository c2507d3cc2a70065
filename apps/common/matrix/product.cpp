#include "apps/common/matrix/product.hpp"

#include <fmt/format.h>

#include "apps/common/matrix/generate.hpp"
#include "base/io/files.hpp"

namespace loadshare {
namespace {

// Keeps indices of elements far from overflow; no machine can store such a matrix.
constexpr Index longest_dimension = Index{1} << 40;

void describe_shape(const ProductShape& shape, JobDescription& description) {
  description.set("rows", shape.rows);
  description.set("inner", shape.inner);
  description.set("columns", shape.columns);
  description.set("type", name_of(shape.type));
}

ProductShape shape_of(const JobDescription& description) {
  return {description.whole("rows"), description.whole("inner"), description.whole("columns"),
          choose("type", description.text("type"), element_types)};
}

void require_both_files(const ProductKind& kind, const ProductOptions& options) {
  if (options.a_file.empty() == options.b_file.empty()) return;
  throw UsageError(fmt::format("{} is missing", options.a_file.empty() ? "--a" : kind.b),
                   fmt::format("a product needs {}", kind.operands),
                   fmt::format("give both --a and {}, or neither for random ones", kind.b));
}

}  // namespace

void add_size(const OptionGroup& group, const ProductKind& kind, ProductOptions& options, const char* text) {
  group.add_word(
      "--size",
      [&options](const std::string& word) {
        options.size = whole_number("--size", word, 0, longest_dimension);
      },
      std::to_string(kind.usual_size), "N", text);
}

void add_dimension(const OptionGroup& group, const char* name, std::optional<Index>& place,
                   const char* text) {
  group.add(name, place, whole(0, longest_dimension), "N", text);
}

void check_options(const ProductKind& kind, const ProductOptions& options, const RunOptions& run) {
  require_both_files(kind, options);
  if (!options.a_file.empty() && (options.size || options.rows || options.inner || options.columns))
    throw UsageError("sizes and files are both given",
                     fmt::format("the files say how large {}", kind.operands_are),
                     fmt::format("leave out {}", kind.size_options));
  std::vector<NamedFile> read = files_read(run);
  read.insert(read.end(),
              {{"--a", options.a_file}, {kind.b, options.b_file}, {"--auto-from", run.auto_from}});
  require_own_files(read, {{kind.c, options.c_file}});
  require_own_files({{"--a", options.a_file}, {kind.b, options.b_file}, {kind.c, options.c_file}},
                    {{"--json", run.json}, {"--trace", run.trace}});
}

ProductShape random_shape(const ProductKind& kind, const ProductOptions& options) {
  const Index size = options.size.value_or(kind.usual_size);
  return {options.rows.value_or(size), options.inner.value_or(size),
          options.columns.value_or(kind.has_vector ? 1 : size), options.type};
}

void ProductJob::describe(JobDescription& description) {
  shape_ = open_inputs();
  check(shape_);
  const Bytes bytes = product_bytes(shape_.rows, shape_.inner, shape_.columns, shape_.type);
  require_farm_memory(bytes, kind_.text(shape_), kind_.advice);
  open_output();
  describe_shape(shape_, description);
  describe_rest(description);
}

Workload& ProductJob::make(const JobDescription& description, Farm& farm) {
  shape_ = shape_of(description);
  product_ = make_product(description, farm);
  return product_->workload();
}

ProductShape ProductJob::open_inputs() {
  if (options_.a_file.empty()) return random_shape(kind_, options_);
  a_.emplace(options_.a_file);
  b_.emplace(options_.b_file, kind_.has_vector ? Dimensions::one_or_two : Dimensions::two);
  kind_.check(*a_, *b_);
  return {a_->rows(), a_->cols(), b_->cols(), a_->type()};
}

/// If B may be a vector, C has as many dimensions in its file as B.
void ProductJob::open_output() {
  if (options_.c_file.empty()) return;
  const bool is_vector = b_ ? b_->header().is_vector : kind_.has_vector;
  output_.emplace(options_.c_file,
                  NpyHeader{shape_.type, StorageOrder::fortran, shape_.rows, shape_.columns, 0, is_vector});
}

template <class T>
void ProductJob::copy_a(Index first, Index rows, T* out) const {
  if (a_)
    load_rows(*a_, first, rows, out);
  else
    generate_rows<T>({static_cast<std::uint64_t>(options_.seed), 0}, first, rows, shape_.inner, out);
}

template void ProductJob::copy_a(Index, Index, float*) const;
template void ProductJob::copy_a(Index, Index, double*) const;

template <class T>
void ProductJob::copy_b(T* out) const {
  if (b_)
    load_column_major(*b_, out);
  else
    generate_columns<T>({static_cast<std::uint64_t>(options_.seed), 1}, 0, shape_.inner, shape_.columns, out);
}

template void ProductJob::copy_b(float*) const;
template void ProductJob::copy_b(double*) const;

void ProductJob::tell(RunRecord& record) const {
  record.seed = options_.seed;
  auto& options = record.options;
  options["rows"] = shape_.rows;
  options["type"] = name_of(shape_.type);
  const auto record_file = [&](std::string_view option, const std::string& file) {
    if (!file.empty()) options[std::string(option.substr(2))] = file;
  };
  record_file("--a", options_.a_file);
  record_file(kind_.b, options_.b_file);
  record_file(kind_.c, options_.c_file);
  product_->tell(record);
}

void ProductJob::store() {
  if (!output_) return;
  product_->store(*output_);
  output_->commit();
}

}  // namespace loadshare
