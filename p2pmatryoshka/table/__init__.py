"""Where rules and cryptography meet: the public fold, one member's own duties, the audit."""
