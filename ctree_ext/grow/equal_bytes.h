/* Where in a list of bytes one of them stands: up to 64 at a time, a bit for each. A look at byte after byte would jump
   in a way that the processor cannot foresee. */

#ifndef CTREE_EQUAL_BYTES_H
#define CTREE_EQUAL_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline uint64_t equal_of_64(const uint8_t* bytes, uint8_t wanted) {
    uint64_t places = 0;
    int i;
#if defined(__SSE2__)
    const __m128i same = _mm_set1_epi8((char)wanted);
    for (i = 0; i < 4; i++) {
        const __m128i some = _mm_loadu_si128((const __m128i*)(bytes + 16 * i));
        places |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(some, same)) << 16 * i;
    }
#else
    for (i = 0; i < 64; i++) places |= (uint64_t)(bytes[i] == wanted) << i;
#endif
    return places;
}

/* Of the first n bytes, or of 64 if there are more. */
static inline uint64_t equal_bytes(const uint8_t* bytes, ptrdiff_t n, uint8_t wanted) {
    uint8_t last[64];
    if (n >= 64) return equal_of_64(bytes, wanted);
    memcpy(last, bytes, (size_t)n);
    return equal_of_64(last, wanted) & (((uint64_t)1 << n) - 1);
}

#endif
