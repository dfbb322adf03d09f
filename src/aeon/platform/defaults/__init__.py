"""What every graph is given by `aeon up`: data like anybody's, owned by the user `aeon`, shared with all."""
