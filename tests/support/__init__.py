"""What tests of several rooms share: running by every engine, comparing charts, checks of orders."""
