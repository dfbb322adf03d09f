"""A test for overridden methods."""


def overrides(instance: object, base: type, method: str) -> bool:
    """Whether `instance` overrides `method` of `base`, in its class or on the instance itself."""
    return getattr(getattr(instance, method, None), "__func__", None) is not getattr(base, method)
