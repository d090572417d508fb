"""Beyond the papers: experiments of our own. Nothing here is a published number.

Packet-pair in settings that the thesis of 1991 did not study, or of which it says without numbers that it fails (6.7 and 7.3.2), and
readings of ours where the thesis contradicts itself. Values are means over the runs with random start phases, with 95 % Student intervals;
without such runs they are those of the base run.
"""
