"""Decimal notation to the nearest double: the same bits as Python's float, without an object and free of the locale."""

from cpython.ref cimport PyObject
from libc.math cimport isinf
from libc.stdint cimport uint8_t, uint64_t

cdef extern from "Python.h":
    double PyOS_string_to_double(const char *s, char **endptr, PyObject *overflow_exception) except? -1.0

cdef enum DecimalResult:
    DECIMAL = 0
    NOT_A_DECIMAL = 1
    TOO_LARGE = 2

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>

    /* The powers of ten that a double holds exactly. */
    static const double CTREE_POWERS_OF_TEN[23] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };

    static const uint64_t CTREE_POWERS_OF_FIVE[28] = {
        1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u, 244140625u,
        1220703125u, 6103515625u, 30517578125u, 152587890625u, 762939453125u, 3814697265625u, 19073486328125u,
        95367431640625u, 476837158203125u, 2384185791015625u, 11920928955078125u, 59604644775390625u,
        298023223876953125u, 1490116119384765625u, 7450580596923828125u
    };

    /* mantissa * 10^exponent for mantissa > 0, rounded once: 10^e = 5^e * 2^e, and 5^27 is the last that 64 bits hold,
       so the product is exact in 128 bits, and so are the quotient's first 63 bits with the remainder. Gives 0 where
       it cannot tell. Numbers of 16 to 19 digits, as programs print them, are read four times as fast for it. */
    static int ctree_scale_exactly(uint64_t mantissa, Py_ssize_t exponent, double *number) {
    #ifdef __SIZEOF_INT128__
        uint64_t five, bits, rest;
        int e, shift, up, sticky;
        if (exponent < -27 || exponent > 27)
            return 0;
        five = CTREE_POWERS_OF_FIVE[exponent < 0 ? -exponent : exponent];
        shift = __builtin_clzll(mantissa);
        mantissa <<= shift;
        if (exponent < 0) {
            int five_shift = __builtin_clzll(five);
            unsigned __int128 dividend = (unsigned __int128)mantissa << 63;
            five <<= five_shift;
            bits = (uint64_t)(dividend / five);
            sticky = bits * five != (uint64_t)dividend;
            e = five_shift - shift - 63 + (int)exponent;
        } else {
            unsigned __int128 product = (unsigned __int128)mantissa * five;
            up = product >> 64 ? 64 - __builtin_clzll((uint64_t)(product >> 64)) : 0;
            bits = (uint64_t)(product >> up);
            sticky = (product & (((unsigned __int128)1 << up) - 1)) != 0;
            e = up - shift + (int)exponent;
        }
        up = 64 - __builtin_clzll(bits) - 53;
        rest = bits & (((uint64_t)1 << up) - 1);
        bits >>= up;
        if (rest > (uint64_t)1 << (up - 1) || (rest == (uint64_t)1 << (up - 1) && (sticky || (bits & 1))))
            bits++;
        *number = ldexp((double)bits, e + up);
        return 1;
    #else
        return 0;
    #endif
    }
    """
    const double[23] POWERS_OF_TEN "CTREE_POWERS_OF_TEN"
    int scale_exactly "ctree_scale_exactly"(uint64_t mantissa, Py_ssize_t exponent, double *number) noexcept nogil


cdef inline DecimalResult read_slowly(const uint8_t *s, Py_ssize_t n, double *number) noexcept with gil:
    """Any length and exponent, by the interpreter's own correctly rounded reader."""
    cdef bytes copy  # which ends with a zero byte
    try:
        copy = (<const char *>s)[:n]
        number[0] = PyOS_string_to_double(copy, NULL, NULL)
    except BaseException:
        return NOT_A_DECIMAL
    return TOO_LARGE if isinf(number[0]) else DECIMAL


cdef inline DecimalResult read_decimal(const uint8_t *s, Py_ssize_t n, double *number) noexcept nogil:
    """Read `[+-] digits [. digits] [e [+-] digits]` with a digit before or after the point, and nothing else."""
    cdef Py_ssize_t i = 0, first, n_digits = 0, scale = 0, exponent = 0
    cdef uint64_t mantissa = 0  # of the first 19 digits that matter, which it holds without overflow
    cdef Py_ssize_t significant = 0
    cdef bint negative = False, negative_exponent = False
    if n and (s[0] == c'-' or s[0] == c'+'):
        negative = s[0] == c'-'
        i = 1
    while i < n and c'0' <= s[i] <= c'9':
        if significant or s[i] != c'0':
            significant += 1
        if significant <= 19:
            mantissa = 10 * mantissa + (s[i] - c'0')
        n_digits += 1
        i += 1
    if i < n and s[i] == c'.':
        i += 1
        while i < n and c'0' <= s[i] <= c'9':
            if significant or s[i] != c'0':
                significant += 1
            if significant <= 19:
                mantissa = 10 * mantissa + (s[i] - c'0')
            n_digits += 1
            scale += 1
            i += 1
    if not n_digits:
        return NOT_A_DECIMAL
    if i < n and (s[i] == c'e' or s[i] == c'E'):
        i += 1
        if i < n and (s[i] == c'-' or s[i] == c'+'):
            negative_exponent = s[i] == c'-'
            i += 1
        first = i
        while i < n and c'0' <= s[i] <= c'9':
            if exponent < 1000000:
                exponent = 10 * exponent + (s[i] - c'0')
            i += 1
        if i == first:
            return NOT_A_DECIMAL
    if i < n:
        return NOT_A_DECIMAL
    exponent = (-exponent if negative_exponent else exponent) - scale
    # Clinger's fast path: both the digits and the power of ten are exact doubles, so one operation rounds once.
    if significant <= 19 and mantissa <= 9007199254740992u and -22 <= exponent <= 22:
        number[0] = <double>mantissa
        if exponent < 0:
            number[0] /= POWERS_OF_TEN[-exponent]
        else:
            number[0] *= POWERS_OF_TEN[exponent]
    elif significant > 19 or not mantissa or not scale_exactly(mantissa, exponent, number):
        return read_slowly(s, n, number)
    if negative:
        number[0] = -number[0]
    return DECIMAL
