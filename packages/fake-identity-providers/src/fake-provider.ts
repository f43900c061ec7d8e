import { createHash, randomBytes } from "node:crypto";
import type { ProviderType } from "@sallyport/core";
import { type AnswerFault, type Exchange, send, wrongAnswers } from "./answer.ts";
import type { SigningKeys, TokenFault } from "./id-token.ts";
import type { FakeAccount } from "./fake-account.ts";

/** What an application is known by at an imitation. */
export interface FakeClient {
  readonly provider: ProviderType;
  readonly clientId: string;
  /** `null` for Apple, which takes a token under `key` in its place. */
  readonly clientSecret: string | null;
  readonly key?: {
    readonly teamId: string;
    readonly keyIdentifier: string;
    /** SPKI in PEM. */
    readonly publicKey: string;
  };
  /** Exact callback addresses; those on a loopback address are taken without being named. */
  readonly callbacks?: readonly string[];
}

/** What somebody allowed at the log-in page, until a client trades the code for it. */
export interface Grant {
  readonly account: FakeAccount;
  readonly clientId: string;
  readonly callback: string;
  readonly nonce: string | null;
  /** The S256 challenge of PKCE. */
  readonly challenge: string | null;
  /** Milliseconds since 1970. */
  readonly grantedAt: number;
}

const lifetime = 60_000;

/** Codes that are good once and for a minute. */
export class GrantedCodes {
  private readonly grants = new Map<string, Grant>();

  issue(grant: Grant): string {
    const code = randomBytes(32).toString("base64url");
    this.grants.set(code, grant);
    return code;
  }

  /** The grant, if the code is good for this client and callback, and the verifier for its challenge. The code is spent in any case. */
  redeem(
    code: string,
    shown: Pick<Grant, "clientId" | "callback"> & { readonly verifier: string; readonly now: number },
  ): Grant | null {
    const { clientId, callback, verifier, now } = shown;
    const grant = this.grants.get(code);
    this.grants.delete(code);
    if (grant?.clientId !== clientId || grant.callback !== callback || now - grant.grantedAt > lifetime) return null;
    if (grant.challenge !== null && grant.challenge !== createHash("sha256").update(verifier).digest("base64url"))
      return null;
    return grant;
  }
}

/** What Facebook then says of an access token; the time is in seconds. */
export const wrongStatements = {
  otherApp: () => ({ app_id: "999999999999999" }),
  otherUser: () => ({ user_id: "88888888888888888" }),
  notValid: () => ({ is_valid: false }),
  expired: (now) => ({ expires_at: now - 3_600 }),
  noUser: () => ({ user_id: undefined }),
  otherKind: () => ({ type: "PAGE" }),
} as const satisfies Readonly<Record<string, (now: number) => object>>;

/** What can be wrong with what Facebook says of an access token. */
export type DebugFault = keyof typeof wrongStatements;

export const debugFaults = Object.keys(wrongStatements) as readonly DebugFault[];

export const endpoints = ["token", "keys", "debug", "profile"] as const;

export type Endpoint = (typeof endpoints)[number];

export interface Misbehaviour {
  readonly idToken?: TokenFault;
  readonly debug?: DebugFault;
  /** By endpoint. */
  readonly answers?: Partial<Readonly<Record<Endpoint, AnswerFault>>>;
}

/** What an imitation of one provider remembers. */
export interface FakeProvider {
  readonly clients: ReadonlyMap<string, FakeClient>;
  /** Who has an account, by id. */
  readonly accounts: ReadonlyMap<string, FakeAccount>;
  readonly keys: SigningKeys;
  readonly codes: GrantedCodes;
  /** By access token, who it is for and which client got it. */
  readonly accessTokens: Map<string, { readonly account: FakeAccount; readonly clientId: string }>;
  misbehaviour: Misbehaviour;
}

/** One request to an imitation. */
export interface Call extends Exchange {
  readonly fake: FakeProvider;
  /** Of a POST. */
  readonly form: URLSearchParams;
  /** What the path says beyond the route: the directory at Microsoft. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Answers as the endpoint should, or as it was told to. */
export function answer(call: Call, endpoint: Endpoint, body: Readonly<Record<string, unknown>>): void {
  const fault = call.fake.misbehaviour.answers?.[endpoint];
  if (fault === undefined) send(call.response, 200, body);
  else wrongAnswers[fault](call, JSON.stringify(body));
}
