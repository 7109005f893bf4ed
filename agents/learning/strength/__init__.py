"""How strong a policy is, on duplicate boards."""
