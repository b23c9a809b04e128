"""Growing trees."""
