"""What stands beside the suites on the command line: two results compared, one shown again."""
