"""Arun, Alizadeh and Balakrishnan 2022, starvation in end-to-end congestion control, as data."""
