"""Pure cryptography over secp256k1; every random source is an argument."""
