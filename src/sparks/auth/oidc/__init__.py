"""OpenID Connect client: sign-in by the code flow, and bearer tokens.

client_config     the settings of Sparks as a client, checked
remote_json       JSON over HTTPS, and a cached document
discovery         the provider's metadata and public keys
claims            the identity, e-mail address and name in a token
token_validation  the check of a token
code_exchange     an authorization code for tokens
code_flow         the sign-in, from the redirect to the callback
account_linking   the account of an identity
connection        all of these together, and bearer tokens
"""
