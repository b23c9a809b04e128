"""Threads that share the work of growing a tree: the attributes of a large node, or subtrees."""

from operator import itemgetter


cdef class Team:
    def __cinit__(self, int n_threads):
        self.n_threads = n_threads

    def __enter__(self):
        if self.n_threads > 1:
            import concurrent.futures  # only now, as it takes its time to load

            # One less than asked for, as the one that calls works, too: if it only waited, its processor would stay idle
            # until the system moves another thread there, which can take four milliseconds.
            self.pool = concurrent.futures.ThreadPoolExecutor(self.n_threads - 1, thread_name_prefix="ctree")
        return self

    def __exit__(self, *_):
        if self.pool is not None:
            self.pool.shutdown()
            self.pool = None

    def stop_all(self):
        self.stop = 1

    cdef int share(self, work, list arguments) except -1:
        # Call `work` with each of the arguments, one for each thread; the first is for this one. An exception waits for
        # the other threads.
        calls = []
        try:
            for argument in arguments[1:]:
                calls.append(self.pool.submit(work, argument))
            work(arguments[0])
            for call in calls:
                call.result()
        except BaseException:
            self.stop = 1
            _wait_for(calls)
            raise
        return 0

    cdef int spread(self, work, list arguments) except -1:
        # The same with any number of arguments: a thread that is done takes the next, unless a call has failed.
        calls = []
        self.error = None
        try:
            for argument in arguments:
                calls.append(self.pool.submit(self._try, work, argument))
            for argument, call in zip(arguments, calls):
                if call.cancel():
                    self._try(work, argument)
            for call in calls:
                if not call.cancelled():
                    call.result()
        except BaseException:
            self.stop = 1
            _wait_for(calls)
            raise
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return 0

    def _try(self, work, argument):
        try:
            if self.stop:
                raise KeyboardInterrupt
            work(argument)
        except BaseException as error:
            if self.error is None:  # the others only stop because of it
                self.error = error
            self.stop = 1


cdef class Backlog:
    # Tasks that wait for the threads of a team, each of a size. Where values are unknown, the copies of cases that come with
    # them have many times as many cases as there are, so only so many wait.
    def __cinit__(self, Py_ssize_t most):
        self.tasks = []
        self.most = most

    cdef int add(self, task, Py_ssize_t size) except -1:
        self.tasks.append((size, task))
        self.size += size
        self.largest = max(self.largest, size)
        return 0

    cdef bint is_full(self) noexcept nogil:
        return self.size > self.most

    cdef list take(self):
        # All of them, the largest first.
        cdef list tasks = self.tasks
        self.tasks = []
        self.size = self.largest = 0
        tasks.sort(key=itemgetter(0), reverse=True)
        return [task for _, task in tasks]


def _wait_for(calls):
    # Until every thread is back, whatever signals come meanwhile: they still use this memory.
    for call in calls:
        while not call.cancel() and not call.done():
            try:
                call.exception()
            except BaseException:
                continue
