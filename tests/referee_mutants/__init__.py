"""The acceptance of the referee: mutants of our own controls, each with one rule wrong, and which cases notice them.

A mutant breaks a rule of `headgate.lab.referee.rules` by as much as stands there or more. There are three lists:

- the first (`mutants.py`) was there when the words of cases were first set, from what it showed;
- the second (`by_words.py`, results in `second.json`) was written blind and found those words wanting: cases named rules
  that their lines do not decide. Some of its mutants break a rule by less than the table now asks for. Both served to
  set words and lines anew, so that their shares of today say nothing of other faults;
- the third (`by_rules.py`, results in `third.json`) was written from the table alone by someone who had not read the cases,
  and judged once. It stays as it was: who changes cases or words in reply to it needs a fourth list to measure them.
"""
