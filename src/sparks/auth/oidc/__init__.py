"""Sign-in with an OpenID Connect provider, Cognito for one, and its tokens on API calls.

client      how Sparks is known to the provider: the settings, checked
fetch       JSON over HTTPS
kept        a document from elsewhere, kept for a while
discovery   where the provider's addresses are
keys        the provider's public keys
claims      what a token says about somebody
tokens      whether a token is good
state       what a browser carries from the beginning of a sign-in to its end
exchange    a code for a token
flow        the sign-in: there, and back
accounts    which account somebody is who was let in by the provider
bearer      whoever sends the provider's token with an API call
connection  all of these together
"""
