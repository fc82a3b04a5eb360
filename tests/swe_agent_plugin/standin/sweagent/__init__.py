"""A stand-in for SWE-agent: the little of it that the plugin touches, written for these tests."""
