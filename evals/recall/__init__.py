"""The `recall` suite: is the evidence for a question among what a memory finds?"""
