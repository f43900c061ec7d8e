import { createPublicKey, verify } from "node:crypto";
import { followed, refuse, sendPage } from "./answer.ts";
import { answer, type Call, type Grant, type FakeClient } from "./fake-provider.ts";
import { formPost, logInPage } from "./pages.ts";

export interface AuthorizationRules {
  /** For people. */
  readonly title: string;
  /** What a callback says when somebody cancels. */
  readonly cancelled: Readonly<Record<string, string>>;
  readonly requires: readonly string[];
  /** Callbacks come as a form. */
  readonly postsForm?: boolean;
}

/** The log-in page, and what was decided there. */
export function authorize(call: Call, rules: AuthorizationRules): void {
  const { fake, query, form, request, response } = call;
  const callback = query.get("redirect_uri") ?? "";
  const client = fake.clients.get(query.get("client_id") ?? "");
  if (client === undefined || !(client.callbacks?.includes(callback) === true || isLoopback(callback)))
    return refuse(call, 400, "invalid_request");
  const complete = rules.requires.every((name) => (query.get(name) ?? "") !== "");
  const challenge = query.get("code_challenge");
  const hasMethod = challenge === null || query.get("code_challenge_method") === "S256";
  const hasMode = rules.postsForm !== true || query.get("response_mode") === "form_post";
  if (query.get("response_type") !== "code" || !complete || !hasMethod || !hasMode)
    return refuse(call, 400, "invalid_request");
  if (request.method !== "POST") return sendPage(response, 200, logInPage(rules.title, fake.accounts.values()));

  const account = fake.accounts.get(form.get("account") ?? "") ?? null;
  const members = new Map([["state", query.get("state") ?? ""]]);
  if (account === null) {
    for (const [name, value] of Object.entries(rules.cancelled)) members.set(name, value);
  } else {
    const nonce = query.get("nonce");
    members.set(
      "code",
      fake.codes.issue({ account, clientId: client.clientId, callback, nonce, challenge, grantedAt: call.now }),
    );
    // Only the first time, and it is the browser that says it.
    if (rules.postsForm === true)
      members.set(
        "user",
        JSON.stringify({ name: { firstName: account.name, lastName: account.surname }, email: account.email }),
      );
  }
  if (rules.postsForm === true) return sendPage(response, 200, formPost(callback, members));
  const address = new URL(callback);
  for (const [name, value] of members) address.searchParams.set(name, value);
  response.writeHead(303, { location: address.href }).end();
}

/** On another machine, a code could be sent to somebody who has no business here. */
function isLoopback(callback: string): boolean {
  return URL.canParse(callback) && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(callback).hostname);
}

/** Trades the code of a form for what `make` makes of it. */
export async function trade(
  call: Call,
  make: (grant: Grant) => Promise<Readonly<Record<string, unknown>>>,
): Promise<void> {
  const { fake, form, query } = call;
  // Before the code is spent: who follows has it still.
  if (fake.misbehaviour.answers?.token === "redirectsToAnswer" && !query.has(followed))
    return answer(call, "token", {});
  const client = fake.clients.get(form.get("client_id") ?? "");
  if (client === undefined || !isItself(call, client)) return refuse(call, 401, "invalid_client");
  if (form.get("grant_type") !== "authorization_code") return refuse(call, 400, "unsupported_grant_type");
  const grant = fake.codes.redeem(form.get("code") ?? "", {
    clientId: client.clientId,
    callback: form.get("redirect_uri") ?? "",
    verifier: form.get("code_verifier") ?? "",
    now: call.now,
  });
  if (grant === null) return refuse(call, 400, "invalid_grant");
  answer(call, "token", await make(grant));
}

/** Who Apple is, as whom it is addressed and as whom it signs. */
export const appleIssuer = "https://apple.imitation.invalid";

function isItself({ form, now }: Call, client: FakeClient): boolean {
  const secret = form.get("client_secret") ?? "";
  return client.clientSecret === null
    ? isSignedClient(client, secret, appleIssuer, now / 1_000)
    : secret === client.clientSecret;
}

/** Whether a text is a token by which Apple knows a client: signed by its key, for this audience, at this time. */
function isSignedClient(client: FakeClient, token: string, audience: string, now: number): boolean {
  const [head = "", body = "", signature = ""] = token.split(".");
  const header = jsonOf(head);
  const claims = jsonOf(body);
  if (client.key === undefined || header === null || claims === null) return false;
  const { teamId, keyIdentifier, publicKey } = client.key;
  const proven = verify(
    "sha256",
    Buffer.from(`${head}.${body}`),
    { key: createPublicKey(publicKey), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  return (
    proven &&
    header["alg"] === "ES256" &&
    header["kid"] === keyIdentifier &&
    claims["iss"] === teamId &&
    claims["sub"] === client.clientId &&
    claims["aud"] === audience &&
    Number(claims["iat"]) <= now + 60 &&
    Number(claims["exp"]) > now &&
    // Half a year, as Apple has it.
    Number(claims["exp"]) <= now + 15_777_000
  );
}

function jsonOf(segment: string): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(segment, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}
