import { createPublicKey, verify } from "node:crypto";
import { followed, refuse, sendPage } from "./answer.ts";
import { answer, type Call, type Grant, type FakeClient } from "./fake-provider.ts";
import { formPost, logInPage } from "./pages.ts";

export interface AuthorizationRules {
  /** Name of the provider on pages. */
  readonly title: string;
  /** Callback parameters of a cancelled log-in. */
  readonly cancelled: Readonly<Record<string, string>>;
  readonly requires: readonly string[];
  /** Whether the callback is a form post. */
  readonly postsForm?: boolean;
}

/** The authorization endpoint: shows the log-in page and handles the decision. */
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
    // Apple sends the name unsigned, through the browser.
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

/** A callback on another machine could leak the code. */
function isLoopback(callback: string): boolean {
  return URL.canParse(callback) && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(callback).hostname);
}

/** The token endpoint: exchanges the code in a form for the result of `make`. */
export async function exchangeCode(
  call: Call,
  make: (grant: Grant) => Promise<Readonly<Record<string, unknown>>>,
): Promise<void> {
  const { fake, form, query } = call;
  // Before the code is used up: a client that follows still needs it.
  if (fake.faults.answers?.token === "redirectsToAnswer" && !query.has(followed)) return answer(call, "token", {});
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

/** Issuer and audience of the fake Apple. */
export const appleIssuer = "https://apple.fake.invalid";

function isItself({ form, now }: Call, client: FakeClient): boolean {
  const secret = form.get("client_secret") ?? "";
  return client.clientSecret === null
    ? isSignedClient(client, secret, appleIssuer, now / 1_000)
    : secret === client.clientSecret;
}

/** Whether a client secret is a valid JWT: signed with the client's key, for this audience and time. */
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
    // Apple's limit of half a year.
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
