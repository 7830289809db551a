-- Which feeds are in the order of two manifests: nearly always none, and each read makes sure of its own.
CREATE INDEX record_feeds_reordered ON record_feeds (id) WHERE is_reordered = 1;
