"""The judges: a control or a queue that is measured, compared, attacked or trained. They use the tool, and no paper."""
