"""What the Linux kernel's TCP does on one line, as data; only the code that measures windows and waits is Python."""
