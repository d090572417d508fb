"""Kim and Farber 1994: BLT, Bully-Tyrant and TCP on one bottleneck, as data."""
