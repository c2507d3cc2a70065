"""Makes one self-contained HTML page and one CSV file from the results of sweeps."""
