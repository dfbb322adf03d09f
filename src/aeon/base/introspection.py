"""Whether somebody put a method of their own in place of a published one."""


def overrides(instance: object, base: type, method: str) -> bool:
    """Whether `instance` has another `method` than `base`: its class's own, or one that was set on it."""
    return getattr(getattr(instance, method, None), "__func__", None) is not getattr(base, method)
