import { createHash, createPublicKey, verify } from "node:crypto";
import {
  accountsOf,
  fakeAccounts,
  type FakeIdentityProviders,
  signIn,
  startFakeIdentityProviders,
} from "@sallyport/fake-identity-providers";

const callback = "http://127.0.0.1:8080/v1/google/callback";
const verifier = "v".repeat(43);

let fakes: FakeIdentityProviders;
let now = Date.now();

beforeAll(async () => {
  const client = {
    provider: "google",
    clientSecret: "secret",
    callbacks: ["https://service.example/v1/google/callback"],
  } as const;
  fakes = await startFakeIdentityProviders({
    now: () => now,
    clients: [
      { ...client, clientId: "one" },
      { ...client, clientId: "two" },
    ],
  });
});

afterAll(() => fakes.close());

const addressWith = (changes: Readonly<Record<string, string>> = {}) => {
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const parameters = {
    response_type: "code",
    client_id: "one",
    redirect_uri: callback,
    state: "s",
    nonce: "n",
    scope: "openid",
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  return `${fakes.url}/google/authorize?${new URLSearchParams({ ...parameters, ...changes })}`;
};

const codeOf = async (changes: Readonly<Record<string, string>> = {}) =>
  (await signIn(addressWith(changes), "anna")).parameters.get("code") ?? "";

const exchangeCode = async (code: string, changes: Readonly<Record<string, string>> = {}) => {
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: callback,
    client_id: "one",
    client_secret: "secret",
    code_verifier: verifier,
  };
  const answer = await fetch(`${fakes.url}/google/token`, {
    method: "POST",
    body: new URLSearchParams({ ...form, ...changes }),
  });
  const { error = null, id_token: token = null } = (await answer.json()) as { error?: string; id_token?: string };
  return { status: answer.status, error, token };
};

test("shows a page with all accounts and a cancel button", async () => {
  const html = await (await fetch(addressWith())).text();
  for (const { email } of fakeAccounts) expect(html).toContain(email);
  expect(html).toContain("Cancel");
});

test("has the requested number of distinct accounts", async () => {
  expect(accountsOf(fakeAccounts.length)).toEqual(fakeAccounts);
  const accounts = accountsOf(40);
  expect(new Set(accounts.map(({ subject }) => subject)).size).toBe(40);
  const many = await startFakeIdentityProviders({
    accounts: 40,
    clients: [{ provider: "google", clientId: "one", clientSecret: "secret" }],
  });
  try {
    const address = addressWith().replace(fakes.url, many.url);
    const codes = await Promise.all(
      ["anna", "account40", "account41"].map(async (id) => (await signIn(address, id)).parameters.has("code")),
    );
    expect(codes).toEqual([true, true, false]);
  } finally {
    await many.close();
  }
});

test.each<[string, Record<string, string>]>([
  ["an unknown client", { client_id: "three" }],
  ["an unlisted callback on another machine", { redirect_uri: "http://other.example/v1/google/callback" }],
  ["a callback on a machine whose name starts like this one", { redirect_uri: "http://127.0.0.1.example/" }],
  ["a callback that is not an address", { redirect_uri: "javascript:alert(1)" }],
  ["another kind of answer", { response_type: "token" }],
  ["no nonce", { nonce: "" }],
  ["no challenge", { code_challenge: "" }],
  ["a plain challenge", { code_challenge_method: "plain" }],
])("refuses a log-in with %s", async (_, changes) => {
  for (const method of ["GET", "POST"]) {
    const answer = await fetch(addressWith(changes), { method, redirect: "manual" });
    expect({ status: answer.status, location: answer.headers.get("location") }).toEqual({
      status: 400,
      location: null,
    });
  }
});

test("redirects to a listed callback", async () => {
  expect(
    await signIn(addressWith({ redirect_uri: "https://service.example/v1/google/callback" }), "anna"),
  ).toMatchObject({ address: "https://service.example/v1/google/callback" });
});

test("returns a token signed by its published key, once", async () => {
  const code = await codeOf();
  const { token } = await exchangeCode(code);
  const [head = "", body = "", signature = ""] = (token ?? "").split(".");
  const { keys } = (await (await fetch(`${fakes.url}/google/keys`)).json()) as { keys: { kty: string }[] };
  const key = createPublicKey({ key: keys[0]!, format: "jwk" });
  expect(verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"))).toBe(true);
  expect(JSON.parse(Buffer.from(body, "base64url").toString())).toMatchObject({
    iss: "https://google.fake.invalid",
    aud: "one",
    nonce: "n",
    email: "anna@example.com",
  });
  expect(await exchangeCode(code)).toMatchObject({ status: 400, error: "invalid_grant" });
});

test.each<[string, Record<string, string>, string]>([
  ["another client", { client_id: "two" }, "invalid_grant"],
  ["an unknown client", { client_id: "three" }, "invalid_client"],
  ["another secret", { client_secret: "other" }, "invalid_client"],
  ["another callback", { redirect_uri: "http://127.0.0.1/other" }, "invalid_grant"],
  ["another verifier", { code_verifier: "w".repeat(43) }, "invalid_grant"],
  ["another kind of grant", { grant_type: "password" }, "unsupported_grant_type"],
])("refuses a code for %s", async (_, changes, error) => {
  expect(await exchangeCode(await codeOf(), changes)).toMatchObject({ error, token: null });
});

test("refuses a code older than a minute", async () => {
  const code = await codeOf();
  now += 60_001;
  expect(await exchangeCode(code)).toMatchObject({ error: "invalid_grant" });
});

test("escapes all text in its page", async () => {
  const state = `"><script>alert(1)</script>&'`;
  const { url, close } = await startFakeIdentityProviders({
    clients: [{ provider: "apple", clientId: "one", clientSecret: "secret" }],
  });
  const parameters = {
    response_type: "code",
    response_mode: "form_post",
    client_id: "one",
    redirect_uri: callback,
    state,
    nonce: "n",
    scope: "name",
  };
  const address = `${url}/apple/auth/authorize?${new URLSearchParams(parameters)}`;
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams({ account: "anna" }) });
  expect(await answer.text()).not.toContain("<script>alert");
  expect((await signIn(address, "anna")).parameters.get("state")).toBe(state);
  await close();
});

test("answers other addresses with 404", async () => {
  for (const path of ["/", "/google", "/google/", "/google/other", "/other/token", "/google/token"])
    expect((await fetch(fakes.url + path)).status).toBe(404);
});
