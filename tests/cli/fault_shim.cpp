// Preloaded into kalaba: lets one system call on files of a folder fail, as a disk that is broken or full does.
//
//     KALABA_FAULT_FOLDER   calls on files below this folder count
//     KALABA_FAULT_AT       the call that fails, from 1 on; with a trailing + all behind it too; 0: none
//     KALABA_FAULT_COUNT    a file that gets the number of calls

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace {

constexpr int most_descriptors = 4096;
bool watched[most_descriptors];
std::atomic<long> calls{0};

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_below(const char* path) {
  static const char* const folder = getenv("KALABA_FAULT_FOLDER");
  if (folder == nullptr || path == nullptr) return false;
  if (path[0] != '/') return true;  // the test runs in the folder
  return strncmp(path, folder, strlen(folder)) == 0;
}

bool is_watched(int descriptor) { return descriptor >= 0 && descriptor < most_descriptors && watched[descriptor]; }

/// Counts a call; returns whether it fails.
bool fails() {
  static const char* const text = getenv("KALABA_FAULT_AT");
  static const long at = text == nullptr ? 0 : strtol(text, nullptr, 10);
  static const bool lasts = text != nullptr && strchr(text, '+') != nullptr;
  const long call = ++calls;
  if (at == 0 || call < at || (call > at && !lasts)) return false;
  errno = EIO;
  return true;
}

int remember(int descriptor) {
  if (descriptor >= 0 && descriptor < most_descriptors) watched[descriptor] = true;
  return descriptor;
}

struct Report {
  ~Report() {
    const char* const path = getenv("KALABA_FAULT_COUNT");
    if (path == nullptr) return;
    const long count = calls;
    FILE* const file = fopen(path, "w");
    if (file == nullptr) return;
    fprintf(file, "%ld\n", count);
    fclose(file);
  }
} report;

bool writes(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0; }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  static auto* const real = next<int(const char*, int, ...)>("open");
  if (!is_below(path) || !writes(flags)) return real(path, flags, mode);
  return fails() ? -1 : remember(real(path, flags, mode));
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  static auto* const real = next<int(const char*, int, ...)>("open64");
  if (!is_below(path) || !writes(flags)) return real(path, flags, mode);
  return fails() ? -1 : remember(real(path, flags, mode));
}

int close(int descriptor) {
  static auto* const real = next<int(int)>("close");
  if (is_watched(descriptor)) watched[descriptor] = false;
  return real(descriptor);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  return is_watched(descriptor) && fails() ? -1 : real(descriptor, bytes, size);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t place) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return is_watched(descriptor) && fails() ? -1 : real(descriptor, bytes, size, place);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t place) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return is_watched(descriptor) && fails() ? -1 : real(descriptor, bytes, size, place);
}

int fsync(int descriptor) {
  static auto* const real = next<int(int)>("fsync");
  return is_watched(descriptor) && fails() ? -1 : real(descriptor);
}

int ftruncate(int descriptor, off_t size) {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  return is_watched(descriptor) && fails() ? -1 : real(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
  static auto* const real = next<int(int, off64_t)>("ftruncate64");
  return is_watched(descriptor) && fails() ? -1 : real(descriptor, size);
}

int rename(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return is_below(to) && fails() ? -1 : real(from, to);
}

int renameat2(int old_folder, const char* from, int new_folder, const char* to, unsigned flags) {
  static auto* const real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return is_below(to) && fails() ? -1 : real(old_folder, from, new_folder, to, flags);
}
}
