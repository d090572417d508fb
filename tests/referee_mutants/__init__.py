"""The acceptance of the referee: mutants of our own controls, each with one rule wrong, and which cases notice them.

There are two lists. The words of cases were set from the first (`mutants.py`): a case names a rule (`rules`) if every
mutant of that rule in it that it applies to fails it. So the share of pairs of the first list that are noticed is by
construction. The second (`second.py`) was written from the meaning of the words alone and judged once; `second.json`
is what was found. It stays as it was: who changes cases or words in reply to it needs a third list to measure them.
The words are fine:

- `slow-start`, `slow-start-limit`, `slow-start-exit`: the window opens fast, not too fast, and this ends.
- `growth`, `growth-speed`, `growth-limit`: it grows afterwards, fast enough, and not too fast.
- `cubic-curve`, `friendly`, `fast-convergence`, `unused-time`: the same of CUBIC.
- `cut`, `cut-share`, `cut-depth`, `cut-once`: losses lower it at all, enough, not too far, and once for a window.
- `floor`: it is not below the minimum.
- `timeout`, `timeout-again`: one packet after a timeout, and the same threshold after the next.
- `backoff`, `timeout-least`: the timer.
- `fast-retransmit`: losses are repaired without a timeout; `recovery`: no growth meanwhile; `spurious`: what was none is taken back.
- `app-limited`, `idle`: a window that is not used does not grow, and does not stay; `mark-response`: marks are answered.
- `drain`, `probing`, `probing-limit`, `round-trip`, `round-trip-time`, `round-trip-expiry`, `rate-estimate`, `loss-threshold`,
  `loss-bounds`, `ack-aggregation`, `window-limit`, `pacing`: rules of controls by a model of the path.
- `fairness`, `delay-target`, `loss-tolerance`, `aggression`: what comes out of several rules; only the second list has mutants of them.
"""
