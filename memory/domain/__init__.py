"""The words every layer speaks. Standard library only; immutable; times are timezone-aware UTC."""
