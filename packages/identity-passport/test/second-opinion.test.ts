import { OAuth2Server } from "oauth2-mock-server";
import { googleProvider } from "../src/client-secret-providers.ts";
import { GuardedClient } from "../src/guarded-client.ts";
import { resolveBySystem } from "../src/public-address.ts";
import { requestFor } from "./imitated-providers.ts";

/** A provider that others have written, with the paths of ours. */
let server: OAuth2Server;
let base: string;

beforeAll(async () => {
  server = new OAuth2Server(undefined, undefined, {
    endpoints: { authorize: "/google/authorize", token: "/google/token", jwks: "/google/keys" },
  });
  await server.issuer.keys.generate("RS256");
  await server.start(0, "127.0.0.1");
  base = `http://127.0.0.1:${server.address().port}`;
  server.issuer.url = "https://google.imitation.invalid";
});

afterAll(() => server.stop());

const provider = () => {
  const client = new GuardedClient({ imitation: base, allowPrivateAddresses: false, resolve: resolveBySystem });
  return googleProvider({ client, timeout: 5_000, imitation: base });
};

/** A log-in there, its id token changed before it is signed. */
async function logIn(change: (payload: Record<string, unknown>) => void) {
  const one = provider();
  const request = requestFor("google", one.accept({ clientId: "sallyport", clientSecret: "secret" }));
  const onToken = (token: { payload: Record<string, unknown> }) => {
    if (token.payload["nonce"] !== undefined || token.payload["aud"] === "sallyport") change(token.payload);
  };
  server.service.on("beforeTokenSigning", onToken);
  try {
    const answer = await fetch(await one.begin(request), { redirect: "manual" });
    const { searchParams } = new URL(answer.headers.get("location") ?? "");
    return await one.finish({ ...request, parameters: new Map(searchParams) });
  } finally {
    server.service.off("beforeTokenSigning", onToken);
  }
}

test("a log-in at a provider that others have written succeeds", async () => {
  const profile = await logIn((payload) =>
    Object.assign(payload, { sub: "1234", given_name: "Anna", family_name: "Example", email: "anna@example.com" }),
  );
  expect(profile).toEqual({
    issuer: "https://google.imitation.invalid",
    subject: "1234",
    name: "Anna",
    surname: "Example",
    email: "anna@example.com",
  });
});

test.each<[string, Record<string, unknown>]>([
  ["for another application", { aud: "other" }],
  ["of another issuer", { iss: "https://other.example" }],
  ["that is over", { exp: 1_000_000 }],
  ["of another log-in", { nonce: "other" }],
  ["about nobody", { sub: "" }],
])("an id token %s is refused", async (_, changes) => {
  await expect(logIn((payload) => Object.assign(payload, changes))).rejects.toMatchObject({ code: 324 });
});
