// An OpenID provider that lets everybody in: who signs in as `ada` is ada@example.org.
// `node oidc.mjs PORT PUBLIC_URL..` knows the Sparks at each of these addresses.
import { generateKeyPairSync } from "node:crypto";
import Provider from "oidc-provider";

const [port, ...sites] = process.argv.slice(2);
const addresses = {
  redirect_uris: sites.map((site) => `${site}/api/oidc/callback`),
  post_logout_redirect_uris: sites.map((site) => `${site}/`),
};
const newKey = (kid, kind, options) => ({
  ...generateKeyPairSync(kind, options).privateKey.export({ format: "jwk" }),
  kid,
  use: "sig",
});

// The name tells what the provider knows: nobody has checked the address of `unverified..`, `nameless..` has none.
const profile = (sub) => ({
  name: `${sub} of the tests`,
  ...(sub.startsWith("nameless")
    ? {}
    : { email: `${sub}@example.org`, email_verified: !sub.startsWith("unverified") }),
});

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    { client_id: "public", token_endpoint_auth_method: "none", ...addresses },
    { client_id: "secret", client_secret: "a secret: of the tests", ...addresses },
    { client_id: "elliptic", token_endpoint_auth_method: "none", id_token_signed_response_alg: "ES256", ...addresses },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  cookies: { keys: ["of the tests"] },
  enabledJWA: { idTokenSigningAlgValues: ["RS256", "ES256"] },
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...profile(sub) }) }),
  jwks: { keys: [newKey("rsa", "rsa", { modulusLength: 2048 }), newKey("ec", "ec", { namedCurve: "P-256" })] },
  pkce: { required: () => true },
  ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
});
provider.listen(Number(port), "127.0.0.1");
