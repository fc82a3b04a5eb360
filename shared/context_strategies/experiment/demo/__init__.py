"""The demo: real scaffolds under every strategy, with a scripted model at the prices of three real ones."""
