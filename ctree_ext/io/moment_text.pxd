"""Dates, times and timestamps as text to numbers: days since 1970-01-01, or microseconds since midnight or then."""

from libc.stdint cimport int64_t, uint8_t

cdef enum Moment:
    a_date = 0
    a_time = 1
    a_timestamp = 2

cdef enum:
    MICROSECONDS_PER_SECOND = 1000000
    SECONDS_PER_DAY = 86400
    FIRST_DAY = -719162  # 0001-01-01
    LAST_DAY = 2932896  # 9999-12-31


cdef inline int64_t per_day() noexcept nogil:
    return <int64_t>SECONDS_PER_DAY * MICROSECONDS_PER_SECOND


cdef inline bint is_digit(uint8_t c) noexcept nogil:
    return c'0' <= c <= c'9'


cdef inline bint read_digits(
    const uint8_t *s, Py_ssize_t n, Py_ssize_t *i, int least, int most, int64_t *number
) noexcept nogil:
    """Read a number of so many digits."""
    cdef Py_ssize_t first = i[0]
    number[0] = 0
    while i[0] < n and i[0] - first < most and is_digit(s[i[0]]):
        number[0] = 10 * number[0] + (s[i[0]] - c'0')
        i[0] += 1
    return i[0] - first >= least


cdef inline int64_t days_of(int64_t year, int64_t month, int64_t day) noexcept nogil:
    """Days since 1970-01-01 in the calendar of today, also before it was in use.

    Years are taken to begin in March, so that the day that some have more is their last.
    """
    cdef int64_t y = year - (month <= 2)
    cdef int64_t era = y // 400 if y >= 0 else (y - 399) // 400
    cdef int64_t year_of_era = y - era * 400
    cdef int64_t day_of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


cdef inline int64_t days_in(int64_t year, int64_t month) noexcept nogil:
    if month == 2:
        return 29 if (year % 4 == 0 and year % 100 != 0) or year % 400 == 0 else 28
    return 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31


cdef inline bint read_date(const uint8_t *s, Py_ssize_t n, Py_ssize_t *i, int64_t *days) noexcept nogil:
    """Read YYYY-MM-DD or YYYY/MM/DD."""
    cdef int64_t year, month, day
    cdef uint8_t sign
    if not read_digits(s, n, i, 4, 4, &year) or i[0] >= n:
        return False
    sign = s[i[0]]
    if sign != c'-' and sign != c'/':
        return False
    i[0] += 1
    if not read_digits(s, n, i, 1, 2, &month) or i[0] >= n or s[i[0]] != sign:
        return False
    i[0] += 1
    if not read_digits(s, n, i, 1, 2, &day):
        return False
    if year < 1 or month < 1 or month > 12 or day < 1 or day > days_in(year, month):
        return False
    days[0] = days_of(year, month, day)
    return True


cdef inline bint read_time(const uint8_t *s, Py_ssize_t n, Py_ssize_t *i, int64_t *microseconds) noexcept nogil:
    """Read HH:MM, HH:MM:SS or HH:MM:SS.ffffff; what is less than a microsecond is cut off."""
    cdef int64_t hour, minute, second = 0, fraction = 0, place = MICROSECONDS_PER_SECOND // 10
    if not read_digits(s, n, i, 1, 2, &hour) or i[0] >= n or s[i[0]] != c':':
        return False
    i[0] += 1
    if not read_digits(s, n, i, 2, 2, &minute):
        return False
    if i[0] < n and s[i[0]] == c':':
        i[0] += 1
        if not read_digits(s, n, i, 2, 2, &second):
            return False
        if i[0] + 1 < n and s[i[0]] == c'.' and is_digit(s[i[0] + 1]):
            i[0] += 1
            while i[0] < n and is_digit(s[i[0]]):
                fraction += place * (s[i[0]] - c'0')
                place //= 10
                i[0] += 1
    if hour > 23 or minute > 59 or second > 59:
        return False
    microseconds[0] = ((hour * 60 + minute) * 60 + second) * MICROSECONDS_PER_SECOND + fraction
    return True


cdef inline bint read_zone(const uint8_t *s, Py_ssize_t n, Py_ssize_t *i, int64_t *microseconds) noexcept nogil:
    """Read Z, +HH, +HHMM or +HH:MM, by how much a time is ahead of UTC."""
    cdef int64_t hours, minutes = 0, sign
    if s[i[0]] == c'Z' or s[i[0]] == c'z':
        i[0] += 1
        microseconds[0] = 0
        return True
    if s[i[0]] != c'+' and s[i[0]] != c'-':
        return False
    sign = 1 if s[i[0]] == c'+' else -1
    i[0] += 1
    if not read_digits(s, n, i, 2, 2, &hours):
        return False
    if i[0] < n and s[i[0]] == c':':
        i[0] += 1
        if not read_digits(s, n, i, 2, 2, &minutes):
            return False
    elif i[0] < n and not read_digits(s, n, i, 2, 2, &minutes):
        return False
    if hours > 23 or minutes > 59:
        return False
    microseconds[0] = sign * (hours * 60 + minutes) * 60 * MICROSECONDS_PER_SECOND
    return True


cdef inline bint read_moment(const uint8_t *s, Py_ssize_t n, Moment kind, double *number) noexcept nogil:
    """Read a text, all of it; False if it is none of its kind.

    A timestamp may be a date alone, which is its midnight, and have a time zone, by which it becomes UTC. A date may
    have the time of midnight, as programs write dates that they keep as timestamps.
    """
    cdef Py_ssize_t i = 0
    cdef int64_t days = 0, time = 0, ahead = 0
    if kind == a_time:
        if not read_time(s, n, &i, &time) or i != n:
            return False
        number[0] = <double>time
        return True
    if not read_date(s, n, &i, &days):
        return False
    if i < n:
        if s[i] == c'T' or s[i] == c't':
            i += 1
        elif s[i] == c' ':
            while i < n and s[i] == c' ':
                i += 1
        else:
            return False
        if not read_time(s, n, &i, &time):
            return False
        if kind == a_timestamp and i < n and s[i] == c' ':
            i += 1
        if kind == a_timestamp and i < n and not read_zone(s, n, &i, &ahead):
            return False
        if i != n:
            return False
    if kind == a_date:
        number[0] = <double>days
        return time == 0
    time += days * per_day() - ahead
    number[0] = <double>time
    return FIRST_DAY * per_day() <= time < (LAST_DAY + 1) * per_day()
