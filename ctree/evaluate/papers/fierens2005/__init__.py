"""Fierens, Ramon, Blockeel and Bruynooghe 2005: probability trees."""
