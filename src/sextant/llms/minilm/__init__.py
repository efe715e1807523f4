"""The bundled embedder: all-MiniLM-L6-v2 on ONNX Runtime, taught a little more."""
