"""The tokens of a C4.5 case file: where each begins and ends, and what follows it."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memchr, memcpy

from ctree_ext.base.memory cimport Pool, pool_resize
from ctree_ext.io.decimals cimport POWERS_OF_TEN, scale_exactly
from ctree_ext.io.value_table cimport hash_bytes, hash_on, hash_start

cdef extern from *:
    """
    /* 1 for a character that may end a token or change what follows, 2 for one that does so at a token's end only. */
    static const unsigned char CTREE_SPECIAL[256] = {
        [','] = 1, [':'] = 1, ['\\n'] = 1, ['|'] = 1, ['.'] = 1, ['\\\\'] = 1, [' '] = 1, ['\\t'] = 2, ['\\r'] = 2
    };

    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    #define CTREE_EIGHT_AT_ONCE 1
    #define CTREE_EACH(byte) (0x0101010101010101u * (byte))
    #define CTREE_IS_ZERO(word) (((word) - CTREE_EACH(1)) & ~(word) & CTREE_EACH(0x80))
    #define CTREE_IS(word, byte) CTREE_IS_ZERO((word) ^ CTREE_EACH(byte))
    #define CTREE_IS_BELOW(word, byte) (((word) - CTREE_EACH(byte)) & ~(word) & CTREE_EACH(0x80))

    /* The place of the first of eight bytes that is special or a control character, 8 if none is. A carry makes the
       marks above the first one unsure, so only the first counts. */
    static inline int ctree_first_special(uint64_t word) {
        uint64_t marks = CTREE_IS_BELOW(word, 0x21) | CTREE_IS(word, ',') | CTREE_IS(word, ':') | CTREE_IS(word, '.')
            | CTREE_IS(word, '|') | CTREE_IS(word, '\\\\');
        return marks ? __builtin_ctzll(marks) >> 3 : 8;
    }
    #else
    #define CTREE_EIGHT_AT_ONCE 0
    static inline int ctree_first_special(uint64_t word) { return (void)word, 8; }
    #endif
    """
    const uint8_t[256] SPECIAL "CTREE_SPECIAL"
    const bint EIGHT_AT_ONCE "CTREE_EIGHT_AT_ONCE"
    int first_special "ctree_first_special"(uint64_t word) noexcept nogil

cdef enum Delimiter:
    comma = 0  # also a colon: the case goes on, on this line or the next
    period = 1  # a period and a blank: another token follows on this line
    line_end = 2  # newline, comment or end of file


cdef struct Reader:
    const uint8_t *text
    Py_ssize_t position
    Py_ssize_t end
    # The token last read: its bytes (in the text, or in scratch if it had to be rewritten) and where it stands.
    const uint8_t *token
    Py_ssize_t length
    Py_ssize_t offset
    uint64_t hash
    bint escaped
    Delimiter delimiter
    Pool *memory
    uint8_t *scratch
    Py_ssize_t scratch_size


cdef inline bint is_blank(uint8_t c) noexcept nogil:
    return c == c' ' or c == c'\t' or c == c'\r'


cdef inline bint is_white(uint8_t c) noexcept nogil:
    return c == c'\n' or is_blank(c)


cdef inline void skip_blanks(Reader *r) noexcept nogil:
    while r.position < r.end and is_blank(r.text[r.position]):
        r.position += 1


cdef inline void skip_line(Reader *r) noexcept nogil:
    cdef const void *p = memchr(r.text + r.position, c'\n', r.end - r.position)
    r.position = r.end if p == NULL else <const uint8_t *>p - r.text + 1


cdef inline void skip_white(Reader *r) noexcept nogil:
    """Go to the next character that is neither white space nor in a comment."""
    while r.position < r.end:
        if is_white(r.text[r.position]):
            r.position += 1
        elif r.text[r.position] == c'|':
            skip_line(r)
        else:
            return


cdef inline Py_ssize_t count_lines(const Reader *r) noexcept nogil:
    cdef Py_ssize_t i, n = 0
    for i in range(r.end):
        n += r.text[i] == c'\n'
    return n


cdef inline int rewrite_token(Reader *r, Py_ssize_t stop) noexcept nogil:
    """Copy a token without its escapes and runs of spaces; 0 if there is no memory."""
    cdef Py_ssize_t i = r.offset, n = 0
    cdef uint8_t c
    if stop - i > r.scratch_size:
        if not pool_resize(r.memory, <void **>&r.scratch, 2 * (stop - i), 1):
            return 0
        r.scratch_size = 2 * (stop - i)
    while i < stop:
        c = r.text[i]
        if c == c' ' and n and r.scratch[n - 1] == c' ':
            i += 1
            continue
        if c == c'\\' and i + 1 < stop:
            i += 1
            c = r.text[i]
        elif c == c'.' and i + 1 < stop:
            r.scratch[n] = c
            n += 1
            i += 1
            c = r.text[i]
        r.scratch[n] = c
        n += 1
        i += 1
    r.token = r.scratch
    r.length = n
    return 1


cdef inline void end_token(Reader *r) noexcept nogil:
    """Take in the delimiter at the position, and with it what is left of the line if nothing but blanks is."""
    cdef uint8_t c = c'\n' if r.position >= r.end else r.text[r.position]
    if c == c',' or c == c':':
        r.position += 1
        r.delimiter = comma
        return
    if c == c'.':
        r.position += 1
        skip_blanks(r)
        c = c'\n' if r.position >= r.end else r.text[r.position]
        if c != c'\n' and c != c'|':
            r.delimiter = period
            return
    skip_line(r)
    r.delimiter = line_end


cdef inline bint read_number(Reader *r, double *number) noexcept nogil:
    """Read a short number that ends at a comma or newline in one go; False, with nothing done, if it is not such.

    Together with `read_word` this makes the reading of plain files twice as fast.
    """
    cdef const uint8_t *p = r.text + r.position
    cdef const uint8_t *end = r.text + r.end
    cdef const uint8_t *point = NULL
    cdef const uint8_t *first
    cdef uint64_t digits = 0
    cdef Py_ssize_t scale = 0
    cdef bint negative = p[0] == c'-'
    p += negative
    first = p
    while p < end and c'0' <= p[0] <= c'9':
        digits = 10 * digits + (p[0] - c'0')
        p += 1
    if p < end and p[0] == c'.':
        p += 1
        point = p
        while p < end and c'0' <= p[0] <= c'9':
            digits = 10 * digits + (p[0] - c'0')
            p += 1
        scale = p - point
    # 19 digits fit into 64 bits; a point alone, or one at the end, is not for the fast lane.
    if p - first > 19 or p == first or p == point or p >= end or not (p[0] == c',' or p[0] == c'\n'):
        return False
    if digits <= 9007199254740992u:
        number[0] = <double>digits / POWERS_OF_TEN[scale]
    elif not scale_exactly(digits, -scale, number):
        return False
    if negative:
        number[0] = -number[0]
    r.delimiter = comma if p[0] == c',' else line_end
    r.position = p + 1 - r.text
    return True


cdef inline bint read_word(Reader *r) noexcept nogil:
    """Read a token of nothing special that ends at a comma or newline; False, with nothing done, if it is not such."""
    cdef const uint8_t *p = r.text + r.position
    cdef const uint8_t *end = r.text + r.end
    cdef uint64_t h = hash_start(), word
    cdef int n = 8
    # Eight bytes at a time, as the end of a short word is then found without a branch that cannot be foreseen.
    while EIGHT_AT_ONCE and end - p >= 8:
        memcpy(&word, p, 8)
        n = first_special(word)
        if n < 8:
            break
        h = hash_on(h, word)
        p += 8
    if n == 8 or not (p[n] == c',' or p[n] == c'\n'):
        return False
    h = hash_on(h, word & ((<uint64_t>1 << (8 * n)) - 1))
    p += n
    r.offset = r.position
    r.token = r.text + r.offset
    r.length = p - r.token
    r.hash = h
    r.escaped = False
    r.delimiter = comma if p[0] == c',' else line_end
    r.position = p + 1 - r.text
    return True


cdef inline int read_token(Reader *r) noexcept nogil:
    """Read the token that starts at the position and go beyond its delimiter; 0 if there is no memory."""
    cdef const uint8_t *text = r.text
    cdef Py_ssize_t i = r.position, end = r.end
    cdef bint rewrite = False
    cdef uint8_t c
    r.offset = i
    r.escaped = False
    while i < end:
        c = text[i]
        if SPECIAL[c] != 1:
            i += 1
        elif c == c'.':
            if i + 1 >= end or is_white(text[i + 1]) or text[i + 1] == c'|':
                break
            # The character after a period is ordinary, be it a period or a backslash; a comma or colon still ends.
            i += 1 if text[i + 1] == c',' or text[i + 1] == c':' else 2
        elif c == c'\\':
            rewrite = r.escaped = True
            i += 2 if i + 1 < end else 1
        elif c == c' ':
            i += 1
            if i < end and text[i] == c' ':
                rewrite = True
        else:
            break
    r.token = text + r.offset
    r.length = i - r.offset
    if rewrite and not rewrite_token(r, i):
        return 0
    while r.length and is_white(r.token[r.length - 1]):
        r.length -= 1
    r.hash = hash_bytes(r.token, r.length)
    r.position = i
    end_token(r)
    return 1


cdef inline void read_plain(Reader *r) noexcept nogil:
    """Read a token in which colons and backslashes have no meaning, as that of a time, and go beyond its delimiter."""
    cdef Py_ssize_t i = r.position
    r.offset = i
    r.escaped = False
    while i < r.end and r.text[i] != c',' and r.text[i] != c'\n' and r.text[i] != c'|':
        if r.text[i] == c'.' and (i + 1 >= r.end or is_white(r.text[i + 1]) or r.text[i + 1] == c'|'):
            break
        i += 1
    r.token = r.text + r.offset
    r.length = i - r.offset
    while r.length and is_white(r.token[r.length - 1]):
        r.length -= 1
    r.hash = hash_bytes(r.token, r.length)
    r.position = i
    end_token(r)
