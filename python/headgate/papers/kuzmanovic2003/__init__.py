"""Kuzmanovic and Knightly 2003, low-rate attacks on TCP's timeout, as data."""
