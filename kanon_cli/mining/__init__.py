"""What a release is good for: features of its cells, classifiers that learn from them, and association rules."""
