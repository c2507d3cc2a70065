"""Makes one self-contained HTML page and one CSV file of what sweeps have measured."""
