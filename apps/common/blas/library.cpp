#include "apps/common/blas/library.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::blas {
namespace {

constexpr const char* variable = "OPENBLAS_CORETYPE";
constexpr const char* blis_variable = "BLIS_ARCH_TYPE";
constexpr const char* threads_variable = "OPENBLAS_NUM_THREADS";

/// Sets an environment variable while it exists. Without a value it changes nothing.
class ScopedVariable final {
 public:
  ScopedVariable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    if (value) setenv(name, value->c_str(), 1);
  }
  ~ScopedVariable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

void* open(const char* file, const char* name, const char* package, int more_flags = 0) {
  if (void* handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL | more_flags)) return handle;
  throw UsageError(std::string(name) + " cannot be loaded", dlerror(), std::string("install ") + package);
}

template <class Function>
void look_up(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr)
    throw UsageError("a BLAS is not complete", dlerror(), "install another version of it");
}

/// Calls a function without arguments.
template <class Result>
Result call(void* handle, const char* name) {
  Result (*function)() = nullptr;
  look_up(handle, name, function);
  return function();
}

template <class Number>
void use_threads(Library& library, void* handle, const char* setter, const char* getter) {
  void (*set)(Number) = nullptr;
  Number (*get)() = nullptr;
  look_up(handle, setter, set);
  look_up(handle, getter, get);
  library.set_threads = [set](int threads) { set(threads); };
  library.threads = [get] { return static_cast<int>(get()); };
}

/// Returns BLIS's number of a sub-configuration.
std::string blis_number(void* handle, const std::string& core) {
  const char* (*name_of)(int) = nullptr;
  look_up(handle, "bli_arch_string", name_of);
  constexpr int beyond = 20;  // BLIS has fewer names
  for (int number = 0; number < beyond; ++number)
    if (core == name_of(number)) return std::to_string(number);
  throw UsageError("BLIS has no kernels '" + core + "'", "its names are like skx, haswell and zen3");
}

std::string first_words(const std::string& text, int words) {
  std::size_t end = 0;
  for (; words > 0 && end != std::string::npos; --words) end = text.find(' ', end + (end > 0));
  return text.substr(0, end);
}

/// Returns a note for the user if `library` does not run its best kernels.
std::string note_on(const Library& library, const Processor& processor, bool was_asked) {
  const auto better = better_core_type(library.core(), processor);
  if (!better) return {};
  const std::string cure = std::string(variable) + "=" + *better;
  if (was_asked)
    return library.version() + " runs its " + library.core() + " kernels, as " + variable + " asks: " + cure +
           " would suit this processor";
  return library.version() + " takes this processor for a " + library.core() + ", which is slow: set " + cure;
}

}  // namespace

Library::Library(Family family, const std::optional<std::string>& core) {
  if (family == Family::openblas)
    open_openblas(core);
  else
    open_blis(core);
  look_up(handle_.get(), "cblas_dgemm", dgemm);
  look_up(handle_.get(), "cblas_sgemm", sgemm);
}

void Library::Closing::operator()(void* handle) const {
  dlclose(handle);
}

void Library::open_openblas(const std::optional<std::string>& core) {
  const ScopedVariable asked(variable, core);
  // OpenBLAS starts more threads on demand. Each allocates memory when it begins, and waits forever if the
  // system refuses it.
  const ScopedVariable threads(threads_variable, "1");
  if (core) asked_by_ = std::string(variable) + "=" + *core;
  handle_.reset(open("libopenblas.so.0", "OpenBLAS", "libopenblas0"));
  use_threads<int>(*this, handle_.get(), "openblas_set_num_threads", "openblas_get_num_threads");
  core_ = call<const char*>(handle_.get(), "openblas_get_corename");
  description_ = call<const char*>(handle_.get(), "openblas_get_config");
  version_ = first_words(description_, 2);
}

void Library::open_blis(const std::optional<std::string>& core) {
  // Stays loaded, because OpenMP's threads are never ended and would run unmapped code.
  handle_.reset(open("libblis.so.4", "BLIS", "libblis4-openmp", RTLD_NODELETE));
  const auto number = core ? std::optional(blis_number(handle_.get(), *core)) : std::nullopt;
  const ScopedVariable asked(blis_variable, number);
  if (number) asked_by_ = std::string(blis_variable) + "=" + *number;
  use_threads<std::int64_t>(*this, handle_.get(), "bli_thread_set_num_threads", "bli_thread_get_num_threads");
  const char* (*name_of)(int) = nullptr;
  look_up(handle_.get(), "bli_arch_string", name_of);
  call<void>(handle_.get(), "bli_init");  // BLIS chooses its kernels now
  core_ = name_of(call<int>(handle_.get(), "bli_arch_query_id"));
  version_ = std::string("BLIS ") + call<const char*>(handle_.get(), "bli_info_get_version_str");
  description_ = version_ + " " + core_;
}

namespace {

/// Memory for each of the simultaneous calls, as OpenBLAS is built.
constexpr Bytes call_bytes = (Bytes{128} << 20) + 65536;

std::mutex calls_mutex;
Bytes calls_going_on = 0;
Bytes calls_with_room = 0;  ///< simultaneous calls for which OpenBLAS has memory, or is about to allocate it
Bytes calls_taking_room = 0;

bool is_available(Bytes bytes) {
  void* const room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

}  // namespace

CallRoom::CallRoom() {
  const std::lock_guard lock(calls_mutex);
  takes_room_ = calls_going_on == calls_with_room;
  if (takes_room_ && !is_available((calls_taking_room + 1) * call_bytes))
    throw Error(ExitCode::run_failed, "no memory is available for BLAS",
                "each call needs " + human_bytes(call_bytes) + ", which the system refuses",
                "raise `ulimit -v`, or use fewer --workers");
  ++calls_going_on;
  if (!takes_room_) return;
  ++calls_with_room;
  ++calls_taking_room;
}

CallRoom::~CallRoom() {
  const std::lock_guard lock(calls_mutex);
  --calls_going_on;
  if (takes_room_) --calls_taking_room;
}

std::optional<std::string> asked_core_type() {
  const char* asked = std::getenv(variable);
  return asked == nullptr || *asked == '\0' ? std::nullopt : std::optional<std::string>(asked);
}

void require_instructions(Family family, const std::string& core) {
  const Processor processor = this_processor();
  if (const auto missing = missing_instruction(family, core, processor))
    throw UsageError("kernels '" + core + "' cannot run here", "this processor has no " + *missing,
                     "those it can run: " + list_names(allowed_core_types(family, processor)));
}

void require_core_type() {
  const auto asked = asked_core_type();
  if (!asked) return;
  const bool is_obeyed = is_followed(*asked, openblas().library.core());
  if (!is_obeyed && !is_core_type(*asked))
    throw unknown_name(variable, *asked, allowed_core_types(Family::openblas, this_processor()));
  if (is_obeyed) require_instructions(Family::openblas, *asked);
}

OpenBlas load_openblas(const Processor& processor) {
  auto library = std::make_unique<Library>(Family::openblas);
  const auto asked = asked_core_type();
  const bool was_asked = asked && is_followed(*asked, library->core());
  if (const auto better = better_core_type(library->core(), processor); better && !was_asked) {
    library.reset();  // otherwise it would stay loaded, with its kernels
    library = std::make_unique<Library>(Family::openblas, better);
  }
  std::string note = note_on(*library, processor, was_asked);
  return {std::move(*library), std::move(note)};
}

const OpenBlas& openblas() {
  static const OpenBlas& loaded =
      *new OpenBlas(load_openblas(this_processor()));  // never destroyed, because threads use it to the end
  return loaded;
}

void use_one_thread() {
  static const bool is_done = (openblas().library.set_threads(1), true);
  static_cast<void>(is_done);
}

}  // namespace loadshare::blas
