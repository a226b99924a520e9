"""For all tests: no property has a deadline, since machines are shared and noisy."""

from hypothesis import settings

settings.register_profile("foedus", deadline=None)
settings.load_profile("foedus")
