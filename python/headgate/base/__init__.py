"""What every room may use: errors, files written whole, memory and threads, the lists of the engine, colours and units."""
