"""What is said where an optional package cannot be imported."""

from aeon.base.extras import extra_error


def test_a_package_that_is_not_installed_is_to_be_installed():
    error = extra_error("Conditions of steps need", "cel-expr-python", "platform", ModuleNotFoundError("No module"))
    assert error.message == "Conditions of steps need cel-expr-python, which is not installed."
    assert "aeon-orchestrator[platform]" in error.advice


def test_a_package_whose_library_is_missing_names_the_library():
    """A small container has no libstdc++; to install the package again would not help."""
    cause = ImportError("libstdc++.so.6: cannot open shared object file: No such file or directory")
    error = extra_error("The embedded model needs", "xllamacpp", "embedded", cause)
    assert "libstdc++.so.6" in error.message
    assert error.advice.endswith("on Debian and Ubuntu: apt-get install libstdc++6")


def test_an_unknown_library_is_named_alone():
    error = extra_error("The vault needs", "cryptography", "platform", ImportError("libodd.so.2: cannot open"))
    assert "libodd.so.2" in error.message
    assert error.advice == "Install the library that it names with the packages of your system."
