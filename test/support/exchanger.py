"""
The attacker of the race tests where a swap must leave no gap: exchanges two names (renameat2(2), RENAME_EXCHANGE), as fast as the
kernel lets it, COUNT times or until standard input ends. Prints that it begins, and how many exchanges it made. One of the two is
a symbolic link to TARGET; should the victim have replaced it, there is soon a new one.

    python3 exchanger.py A B TARGET COUNT
"""
import ctypes
import os
import select
import sys

AT_FDCWD = -100
RENAME_EXCHANGE = 2

libc = ctypes.CDLL(None, use_errno=True)
first, second = sys.argv[1].encode(), sys.argv[2].encode()
target, count = sys.argv[3], int(sys.argv[4])
done = 0
print("begins", flush=True)
while done < count and not select.select([sys.stdin], [], [], 0)[0]:
    for _ in range(1000):
        if libc.renameat2(AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE) == 0:
            done += 1
    if not os.path.islink(sys.argv[1]) and not os.path.islink(sys.argv[2]):
        os.unlink(sys.argv[2])
        os.symlink(target, sys.argv[2])
print(done)
