"""The `injection` suite: can a contact's words steer the agent, now or out of its memory?"""
