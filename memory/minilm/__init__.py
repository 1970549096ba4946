"""Default embedder: all-MiniLM-L6-v2 from a PyPI wheel, run by onnxruntime without torch."""
