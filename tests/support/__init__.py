"""What several test modules share: random problems, comparisons, a browser, exports run where they belong."""
