"""Chat models and embedders, as the settings name them."""
