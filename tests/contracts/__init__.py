"""The laws that every part keeps; a part is tested the moment its family's table lists it."""
