"""The third list of mutants: written from the table of rules alone.

The first two lists were seen by those who then changed the cases and their words. Whoever wrote this one had read no
case, no result of the referee and no page on it, but the table in `headgate.lab.referee.rules`: what each rule says, and
from where on it counts as broken. Each mutant breaks one rule by at least that much, wherever the rule applies to its
control; `also` has the words of others that it breaks by its meaning. Where the outcome
of several rules is the fault (fairness, aggression, delay, and losses by chance), it was measured that this outcome is
beyond the bound.

`gross` is a rule that is not there, or that is broken by twice as much as the table asks for, counted from what is
right: with a share of 0.5 and a bound of 0.6 from 0.7 on. `subtle` is one that is broken by the bound or more, and by
less than twice as much. `part` is wrong by as much as a gross or a subtle one, but in a part of the situations alone,
such as at large windows, every third time or after ten seconds. A judge cannot be asked to notice each of these, so
that they are counted apart.
"""

from .by_rules_models import MODEL, PATH
from .by_rules_windows import CUBIC, RENO

#: All of them.
THIRD = [*RENO, *CUBIC, *MODEL, *PATH]
