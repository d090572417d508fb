"""All papers at once: what of each stands, in one table and one report."""
