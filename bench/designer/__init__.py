"""How fast the designer's page is on large flows, measured in Chromium against the running product."""
