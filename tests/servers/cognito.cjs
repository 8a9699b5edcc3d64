// Cognito on this machine: `node cognito.cjs PORT` keeps its pools in the working directory.
// cognito-local's own discovery document names port 9229 wherever it listens; this one names the right port.
const port = process.argv[2];
Object.assign(process.env, { HOST: "127.0.0.1", PORT: port });

// No pool here calls a Lambda, so AWS's client for that, of 100 MB, need not be there.
const Module = require("node:module");
const load = Module._load;
const absent = { "aws-sdk": { Lambda: class {} }, "aws-sdk/package.json": { version: "none" } };
Module._load = (name, ...rest) => absent[name] ?? load(name, ...rest);

const express = require("express");
const pino = require("pino");
const { createDefaultServer } = require("cognito-local");

const app = express();
app.get("/:pool/.well-known/openid-configuration", (request, response) => {
  const base = `http://127.0.0.1:${port}`;
  const issuer = `${base}/${request.params.pool}`;
  response.json({
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    authorization_endpoint: `${base}/oauth2/authorize`,
    token_endpoint: `${base}/oauth2/token`,
  });
});

createDefaultServer(pino({ level: "error" })).then((cognito) => {
  app.use(cognito.application);
  app.listen(Number(port), "127.0.0.1");
});
