"""What each command does. The command line is parsed in cli.py."""
