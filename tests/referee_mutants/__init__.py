"""The acceptance of the referee: mutants of our own controls, each with one rule wrong, and which cases notice them."""
