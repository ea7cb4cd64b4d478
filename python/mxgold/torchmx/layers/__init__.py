"""torchmx.layers: linear layers on MX tensors. Needs torch."""
