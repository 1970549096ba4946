"""The scorers of ragas and deepeval, as far as the suites use them; imported when asked for."""
