"""Hasegawa, Matsuo, Murata and Miyahara 2001, as data; what measures, judges and draws is Python.

All curves of the paper are lost. So its statements judge, and the values of its equations, which can be computed again; nothing else does.
"""
