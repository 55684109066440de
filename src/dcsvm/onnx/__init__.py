"""Conversion to ONNX, with skl2onnx; importing this makes its functions know the classifiers."""

from dcsvm.onnx.conversion import register, to_onnx

__all__ = ["to_onnx"]

register()
