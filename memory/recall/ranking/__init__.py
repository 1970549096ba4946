"""Which of the lines that a search brought up answer the question: features, and a linear score."""
