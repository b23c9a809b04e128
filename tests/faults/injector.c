/* Makes one call of the C library fail: preloaded (LD_PRELOAD), and armed through ctypes by injector.py.

   Memory: malloc, calloc, realloc, memalign, posix_memalign and aligned_alloc return no memory. They may be counted only
   where the caller is in one of some ranges of addresses, the compiled modules of a package. The contents of numpy's
   arrays are asked of an allocator that numpy is given, `array_handler`, and may be counted, too.

   Files: open, read, write, fsync, fdatasync, ftruncate, rename, link, chmod, fchmod and close set an error, for the
   files below one directory. A failed close closes the file; a short write writes the first half.

   Between arm_... and disarm the calls are counted. The one with the number `first` fails, and where `lasting` is set all
   later ones as well; 0 only counts. For glibc, whose allocator has the names __libc_... as well. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#undef open
#undef open64
#undef openat
#undef openat64

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { NOTHING, MEMORY, FILES };
enum { MOST_RANGES = 4096, MOST_FILES = 4096, SHORT = -1 };

static atomic_int armed;
static atomic_long calls, failed;
static long first;
static int lasting;

static struct { uintptr_t low, high; } ranges[MOST_RANGES];
static int n_ranges, everywhere, with_arrays;

static char folder[PATH_MAX];
static size_t folder_length;
static int error_number;
static unsigned char ours[MOST_FILES];
static char last_failed[32];

static int is_the_one(void)
{
    long n = atomic_fetch_add(&calls, 1) + 1;
    if (first == 0 || n < first || (n > first && !lasting))
        return 0;
    atomic_fetch_add(&failed, 1);
    return 1;
}

/* Memory */

static int no_memory(void *caller)
{
    if (atomic_load(&armed) != MEMORY)
        return 0;
    int within = everywhere;
    for (int i = 0; i < n_ranges && !within; i++)
        within = (uintptr_t) caller >= ranges[i].low && (uintptr_t) caller < ranges[i].high;
    if (!within || !is_the_one())
        return 0;
    errno = ENOMEM;
    return 1;
}

#define NO_MEMORY no_memory(__builtin_return_address(0))

void *malloc(size_t n) { return NO_MEMORY ? NULL : __libc_malloc(n); }

void *calloc(size_t n, size_t size) { return NO_MEMORY ? NULL : __libc_calloc(n, size); }

void *realloc(void *block, size_t n) { return NO_MEMORY ? NULL : __libc_realloc(block, n); }

void *memalign(size_t alignment, size_t n) { return NO_MEMORY ? NULL : __libc_memalign(alignment, n); }

void *aligned_alloc(size_t alignment, size_t n) { return NO_MEMORY ? NULL : __libc_memalign(alignment, n); }

int posix_memalign(void **block, size_t alignment, size_t n)
{
    if (NO_MEMORY)
        return ENOMEM;
    void *found = __libc_memalign(alignment, n);
    if (found == NULL)
        return ENOMEM;
    *block = found;
    return 0;
}

/* What numpy expects: PyDataMem_Handler of its API, version 1. */

static int no_array(void)
{
    if (atomic_load(&armed) != MEMORY || !with_arrays || !is_the_one())
        return 0;
    errno = ENOMEM;
    return 1;
}

static void *array_malloc(void *context, size_t n)
{
    (void) context;
    return no_array() ? NULL : __libc_malloc(n);
}

static void *array_calloc(void *context, size_t n, size_t size)
{
    (void) context;
    return no_array() ? NULL : __libc_calloc(n, size);
}

static void *array_realloc(void *context, void *block, size_t n)
{
    (void) context;
    return no_array() ? NULL : __libc_realloc(block, n);
}

static void array_free(void *context, void *block, size_t n)
{
    (void) context;
    (void) n;
    free(block);
}

struct {
    char name[127];
    uint8_t version;
    void *context;
    void *(*malloc)(void *, size_t);
    void *(*calloc)(void *, size_t, size_t);
    void *(*realloc)(void *, void *, size_t);
    void (*free)(void *, void *, size_t);
} array_handler = {"ctree_faults", 1, NULL, array_malloc, array_calloc, array_realloc, array_free};

void set_arrays(int counted) { with_arrays = counted; }

/* The code of all modules whose path has one of these parts (separated by colons), as far as they are loaded by now; an
   empty text means every caller. Returns the number of ranges. */
int set_callers(const char *parts)
{
    char line[PATH_MAX + 128], copy[1024];
    n_ranges = 0;
    everywhere = *parts == '\0';
    FILE *maps = everywhere ? NULL : fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps)) {
        unsigned long low, high;
        char rights[8], *rest = NULL;
        if (sscanf(line, "%lx-%lx %7s", &low, &high, rights) != 3 || strchr(rights, 'x') == NULL)
            continue;
        snprintf(copy, sizeof copy, "%s", parts);
        for (char *part = strtok_r(copy, ":", &rest); part != NULL; part = strtok_r(NULL, ":", &rest))
            if (strstr(line, part) != NULL && n_ranges < MOST_RANGES) {
                ranges[n_ranges].low = low;
                ranges[n_ranges++].high = high;
                break;
            }
    }
    if (maps != NULL)
        fclose(maps);
    return n_ranges;
}

static void begin(int kind, long number, int and_later)
{
    first = number;
    lasting = and_later;
    atomic_store(&calls, 0);
    atomic_store(&failed, 0);
    last_failed[0] = '\0';
    atomic_store(&armed, kind);
}

void arm_memory(long number, int and_later) { begin(MEMORY, number, and_later); }

void arm_files(long number, int and_later, const char *path, int error)
{
    snprintf(folder, sizeof folder, "%s", path);
    folder_length = strlen(folder);
    error_number = error;
    begin(FILES, number, and_later);
}

long disarm(void)
{
    atomic_store(&armed, NOTHING);
    return atomic_load(&calls);
}

long n_failed(void) { return atomic_load(&failed); }

const char *what_failed(void) { return last_failed; }

/* Files. A file is ours if it was opened below the folder since `arm_files`. */

static int below(const char *path)
{
    return path != NULL && atomic_load(&armed) == FILES && strncmp(path, folder, folder_length) == 0;
}

static int is_ours(int file) { return file >= 0 && file < MOST_FILES && ours[file]; }

/* Whether this call is to fail; errno is set. Only some calls can be interrupted. */
static int fails(const char *name, int can_be_interrupted)
{
    if (atomic_load(&armed) != FILES || (error_number == EINTR && !can_be_interrupted) || !is_the_one())
        return 0;
    snprintf(last_failed, sizeof last_failed, "%s", name);
    errno = error_number;
    return 1;
}

#define REAL(name) ((__typeof__(&name)) real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int note(const char *path, int file)
{
    if (file >= 0 && file < MOST_FILES)
        ours[file] = (unsigned char) below(path);
    return file;
}

#define OPENING(name)                                                                                                  \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                        \
        va_end(rest);                                                                                                  \
        if (error_number != SHORT && below(path) && fails("open", 1))                                                  \
            return -1;                                                                                                 \
        return note(path, ((int (*)(const char *, int, ...)) real(#name))(path, flags, mode));                        \
    }

#define OPENING_AT(name)                                                                                               \
    int name(int at, const char *path, int flags, ...)                                                                 \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                        \
        va_end(rest);                                                                                                  \
        if (error_number != SHORT && below(path) && fails("open", 1))                                                  \
            return -1;                                                                                                 \
        return note(path, ((int (*)(int, const char *, int, ...)) real(#name))(at, path, flags, mode));               \
    }

#define OPENING_2(name, plain)                                                                                         \
    int name(const char *path, int flags) { return plain(path, flags); }

OPENING(open)
OPENING(open64)
OPENING_AT(openat)
OPENING_AT(openat64)
OPENING_2(__open_2, open)
OPENING_2(__open64_2, open64)

ssize_t read(int file, void *buffer, size_t n)
{
    return error_number != SHORT && is_ours(file) && fails("read", 1) ? -1 : REAL(read)(file, buffer, n);
}

ssize_t __read_chk(int file, void *buffer, size_t n, size_t room) { (void) room; return read(file, buffer, n); }

ssize_t write(int file, const void *buffer, size_t n)
{
    if (is_ours(file) && (error_number != SHORT || n > 1) && fails("write", 1)) {
        if (error_number != SHORT)
            return -1;
        n /= 2;
    }
    return REAL(write)(file, buffer, n);
}

#define ON_FILE(name, interruptible, arguments, ...)                                                                   \
    int name arguments                                                                                                 \
    {                                                                                                                  \
        if (error_number != SHORT && is_ours(file) && fails(#name, interruptible))                                     \
            return -1;                                                                                                 \
        return REAL(name)(__VA_ARGS__);                                                                                \
    }

ON_FILE(fsync, 1, (int file), file)
ON_FILE(fdatasync, 1, (int file), file)
ON_FILE(ftruncate, 1, (int file, off_t n), file, n)
ON_FILE(ftruncate64, 1, (int file, off64_t n), file, n)
ON_FILE(fchmod, 0, (int file, mode_t mode), file, mode)

#define ON_PATH(name, arguments, ...)                                                                                  \
    int name arguments                                                                                                 \
    {                                                                                                                  \
        if (error_number != SHORT && below(path) && fails(#name, 0))                                                   \
            return -1;                                                                                                 \
        return REAL(name)(__VA_ARGS__);                                                                                \
    }

extern int chmod(const char *, mode_t);
ON_PATH(rename, (const char *path, const char *to), path, to)
ON_PATH(link, (const char *path, const char *to), path, to)
ON_PATH(chmod, (const char *path, mode_t mode), path, mode)

int renameat(int at, const char *path, int at_too, const char *to)
{
    if (error_number != SHORT && below(path) && fails("rename", 0))
        return -1;
    return REAL(renameat)(at, path, at_too, to);
}

int close(int file)
{
    int fault = error_number != SHORT && is_ours(file) && fails("close", 0);
    if (file >= 0 && file < MOST_FILES)
        ours[file] = 0;
    int result = REAL(close)(file);
    if (!fault)
        return result;
    errno = error_number;
    return -1;
}
