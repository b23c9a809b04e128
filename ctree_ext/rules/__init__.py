"""Rules from trees."""
