"""The explorer: a local page on which scenarios are turned, run and looked at. `headgate explore` serves it."""
