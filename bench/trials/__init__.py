"""What bench/chaos is made of."""
