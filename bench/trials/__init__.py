"""The modules of bench/chaos."""
