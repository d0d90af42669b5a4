"""Pure games: no clock, network, key or random source."""
