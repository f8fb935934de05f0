"""People sign in with their provider, by OpenID Connect."""
