/**
 * Limit: a minimal Google callback, written by hand with Express 5, pg and Node modules. It consumes the state,
 * exchanges the code over keep-alive, verifies the id token with a cached key, finds the link with its user, opens a
 * session, and answers with the user. No lockout, limits, rights or audit. Its statements are prepared.
 */
import { createPublicKey, type JsonWebKey, randomBytes, verify } from "node:crypto";
import { Agent, request as requestHttp } from "node:http";
import { fakeIssuer } from "@sallyport/identity-passport";
import { accountsOf } from "@sallyport/fake-identity-providers";
import express from "express";
import { barePool, listen, sha256 } from "./express-server.ts";
import { codeRequest, form, fakeAccountCount, fakeClient, tokenRequest } from "./provider-client.ts";

// The two in between, address and connections of the database, are for `barePool`.
const [, , port, , , fakeProvider = ""] = process.argv;
const issuer = fakeIssuer("google");
const redirectUri = `http://127.0.0.1:${port}/callback`;
const pool = barePool();
const agent = new Agent({ keepAlive: true });
const secret = () => randomBytes(32).toString("base64url");

await pool.query("create schema if not exists bare_callback");
await pool.query(
  "create table bare_callback.state (digest text primary key, nonce text not null, verifier text not null, expires_at timestamptz not null)",
);
await pool.query("create table bare_callback.app_user (id bigint primary key, attributes jsonb not null)");
await pool.query(
  "create table bare_callback.link (issuer text, subject text, user_id bigint not null references bare_callback.app_user, primary key (issuer, subject))",
);
await pool.query(
  "create table bare_callback.session (digest text primary key, user_id bigint not null, expires_at timestamptz not null)",
);
const subjects = accountsOf(fakeAccountCount).map(({ subject }) => subject);
await pool.query(
  `insert into bare_callback.app_user
   select n, jsonb_build_object('Name', 'user' || n, 'Groups', jsonb_build_array('readers')) from generate_series(1, $1::int) n`,
  [subjects.length],
);
await pool.query(
  "insert into bare_callback.link select $1, subject, n from unnest($2::text[]) with ordinality s (subject, n)",
  [issuer, subjects],
);

const begin = {
  name: "begin",
  text: "insert into bare_callback.state values ($1, $2, $3, now() + interval '10 minutes')",
};
const consume = {
  name: "consume",
  text: "delete from bare_callback.state where digest = $1 and expires_at > now() returning nonce, verifier",
};
const find = {
  name: "find",
  text: "select u.id, u.attributes from bare_callback.link l join bare_callback.app_user u on u.id = l.user_id where l.issuer = $1 and l.subject = $2",
};
const open = { name: "open", text: "insert into bare_callback.session values ($1, $2, now() + interval '12 hours')" };

const keySet = JSON.parse(await callProvider("GET", "/google/keys")) as { keys: (JsonWebKey & { kid: string })[] };
const keys = new Map(keySet.keys.map((key) => [key.kid, createPublicKey({ key, format: "jwk" })]));

const application = express();
application.get("/begin", async (_request, response) => {
  const [state, nonce, verifier] = [secret(), secret(), secret()];
  await pool.query({ ...begin, values: [sha256(state), nonce, verifier] });
  response.redirect(`${fakeProvider}/google/authorize?${codeRequest({ redirectUri, verifier, state, nonce })}`);
});
application.get("/callback", async (request, response) => {
  const { state, code } = request.query;
  const [stored] = (await pool.query({ ...consume, values: [sha256(String(state))] })).rows;
  const subject =
    stored === undefined ? null : subjectOf(await exchangeCode(String(code), stored.verifier), stored.nonce);
  const [user] = subject === null ? [] : (await pool.query({ ...find, values: [issuer, subject] })).rows;
  if (user === undefined) {
    response.status(403).json({ error: "refused" });
    return;
  }
  const sessionId = secret();
  await pool.query({ ...open, values: [sha256(sessionId), user.id] });
  response.json({ sessionId, user: user.attributes });
});
listen(application);

/** Exchanges a code for an id token. */
async function exchangeCode(code: string, verifier: string): Promise<string> {
  const answer = await callProvider("POST", "/google/token", tokenRequest({ redirectUri, verifier, code }));
  const { id_token = "" } = JSON.parse(answer) as { id_token?: string };
  return id_token;
}

/** The subject of an id token; `null` if the token is invalid. */
function subjectOf(token: string, nonce: string): string | null {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const { kid, alg } = JSON.parse(Buffer.from(header, "base64url").toString()) as { kid: string; alg: string };
  const key = keys.get(kid);
  if (
    key === undefined ||
    alg !== "RS256" ||
    !verify("sha256", Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url"))
  )
    return null;
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
  const isFresh = Number(claims["exp"]) > Date.now() / 1_000;
  return isFresh && claims["iss"] === issuer && claims["aud"] === fakeClient.clientId && claims["nonce"] === nonce
    ? String(claims["sub"])
    : null;
}

function callProvider(method: "GET" | "POST", path: string, fields = "", isRetry = false): Promise<string> {
  const headers = method === "GET" ? {} : { ...form, "content-length": Buffer.byteLength(fields) };
  return new Promise((resolve, reject) => {
    const outgoing = requestHttp(`${fakeProvider}${path}`, { method, agent, headers }, (answer) => {
      let text = "";
      answer
        .setEncoding("utf8")
        .on("data", (chunk: string) => (text += chunk))
        .on("end", () => resolve(text))
        .on("error", reject);
    });
    const failed = (error: Error) => {
      // The provider closed a connection between two rounds.
      if (outgoing.reusedSocket && !isRetry) resolve(callProvider(method, path, fields, true));
      else reject(error);
    };
    outgoing.on("error", failed).end(fields);
  });
}
