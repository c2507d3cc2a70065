#pragma once

#include <cblas.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/common/blas/core_types.hpp"

namespace loadshare::blas {

/// A library with the C interface of BLAS, loaded while this object exists. OpenBLAS chooses its kernels when
/// it is loaded, so a program linked to it could not influence the choice.
class Library final {
 public:
  /// Loads the library. `core` requests kernels; without it, OPENBLAS_CORETYPE or the library decides. core()
  /// returns the result. Throws UsageError if the library is missing, or if BLIS has no such kernels. No
  /// other thread may read the environment meanwhile.
  explicit Library(Family family, const std::optional<std::string>& core = std::nullopt);

  decltype(&cblas_dgemm) dgemm = nullptr;
  decltype(&cblas_sgemm) sgemm = nullptr;
  std::function<void(int)> set_threads;
  std::function<int()> threads;

  /// Returns the chosen kernels: "SkylakeX".
  const std::string& core() const { return core_; }
  /// Returns "OpenBLAS 0.3.21".
  const std::string& version() const { return version_; }
  /// Returns the library's own description: version, build options and chosen kernels.
  const std::string& description() const { return description_; }
  /// Returns the environment setting that requests the same kernels in another program:
  /// "OPENBLAS_CORETYPE=SkylakeX". Empty if none were requested.
  const std::string& asked_by() const { return asked_by_; }

 private:
  void open_openblas(const std::optional<std::string>& core);
  void open_blis(const std::optional<std::string>& core);

  struct Closing {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Closing> handle_;
  std::string core_, version_, description_, asked_by_;
};

/// Exists while a call of OpenBLAS computes. OpenBLAS allocates memory for each simultaneous call, and keeps
/// it. If the system refuses the memory, OpenBLAS retries forever; the constructor checks this beforehand.
class CallRoom final {
 public:
  /// Throws Error if the system refuses the memory.
  CallRoom();
  ~CallRoom();
  CallRoom(const CallRoom&) = delete;
  CallRoom& operator=(const CallRoom&) = delete;

 private:
  bool takes_room_;
};

/// Returns the core type requested by the user's environment, or nothing.
std::optional<std::string> asked_core_type();

/// Throws UsageError if OpenBLAS does not have that core type, or this processor cannot run it.
void require_core_type();

/// Throws UsageError if these kernels need an instruction that this processor lacks.
void require_instructions(Family family, const std::string& core);

/// OpenBLAS with the best kernels for this processor.
struct OpenBlas {
  Library library;
  std::string note;  ///< note for the user if other kernels run; empty: none
};

/// Loads OpenBLAS. Loads it again with a better core type if it does not know the processor, unless the user
/// has requested one.
OpenBlas load_openblas(const Processor& processor);

/// Returns this process's OpenBLAS, loaded at the first call; make that call before other threads start.
const OpenBlas& openblas();

/// Limits OpenBLAS to one thread, because a worker has one core. Later calls have no effect.
void use_one_thread();

}  // namespace loadshare::blas
