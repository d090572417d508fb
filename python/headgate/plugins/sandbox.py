"""Gives up everything but memory and two pipes: for a process in which code runs that is not trusted.

Limits of the process hold everywhere. On Linux, a filter of system calls (seccomp, a BPF program) ends the process at any other
call. Clocks can be read without a system call; they are kept away only by the modules that may be imported.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
import sys

#: System calls that are allowed, by their numbers: memory, signals' returns, threads' locks, and the end.
_CALLS = {
    "x86_64": {
        "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15,
        "mremap": 25, "madvise": 28, "exit": 60, "futex": 202, "exit_group": 231, "sched_yield": 24,
    },
    "aarch64": {
        "mmap": 222, "mprotect": 226, "munmap": 215, "brk": 214, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139,
        "mremap": 216, "madvise": 233, "exit": 93, "futex": 98, "exit_group": 94, "sched_yield": 124,
    },
}  # fmt: skip

#: read and write, which are allowed on one pipe each; and the name of the machine in the filter.
_PIPES = {"x86_64": (0, 1), "aarch64": (63, 64)}
_MACHINE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000


def die_with(parent: int) -> None:
    """This process ends with the one that started it, also in the middle of a call."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0)
    # It may have ended before.
    if os.getppid() != parent:
        os._exit(0)


def enter(requests: int, answers: int, memory: int) -> bool:
    """Keeps only these two pipes, and so many bytes of memory beyond what it has; gives whether system calls are filtered."""
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        resource.setrlimit(limit, (0, 0))
    most = held() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _CALLS:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    program = _filter(machine, requests, answers)
    buffer = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: the number of instructions, and where they are.
    head = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    address = ctypes.create_string_buffer(head, len(head))
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(_PR_SET_SECCOMP, 2, address, 0, 0):
        raise OSError(ctypes.get_errno(), "the filter of system calls cannot be set")
    return True


def held() -> int:
    """Bytes of addresses that this process has; a guess where the system does not say."""
    try:
        with open("/proc/self/statm") as file:  # noqa: PTH123
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 500_000_000


def _filter(machine: str, requests: int, answers: int) -> bytes:
    """The filter: instructions of 8 bytes. struct seccomp_data has the call at 0, the machine at 4 and the first argument at 16."""

    def instruction(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
        return struct.pack("<HBBI", code, true, false, value)

    read, write = _PIPES[machine]
    out = [
        instruction(_LOAD, 4),
        instruction(_EQUAL, _MACHINE[machine], 1, 0),
        instruction(_RETURN, _KILL),
        instruction(_LOAD, 0),
    ]
    for call, pipe in ((read, requests), (write, answers)):
        out += [
            instruction(_EQUAL, call, 0, 4),
            instruction(_LOAD, 16),
            instruction(_EQUAL, pipe, 0, 1),
            instruction(_RETURN, _ALLOW),
            instruction(_RETURN, _KILL),
        ]
    for number in _CALLS[machine].values():
        out += [instruction(_EQUAL, number, 0, 1), instruction(_RETURN, _ALLOW)]
    out.append(instruction(_RETURN, _KILL))
    return b"".join(out)
