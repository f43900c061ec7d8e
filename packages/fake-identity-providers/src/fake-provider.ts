import { createHash, randomBytes } from "node:crypto";
import type { ProviderType } from "@sallyport/storage";
import { type AnswerFault, type Exchange, send, wrongAnswers } from "./answer.ts";
import type { SigningKeys, TokenFault } from "./id-token.ts";
import type { FakeAccount } from "./fake-account.ts";

/** A client registered with a fake provider. */
export interface FakeClient {
  readonly provider: ProviderType;
  readonly clientId: string;
  /** `null` for Apple, which accepts a JWT signed with `key` instead. */
  readonly clientSecret: string | null;
  readonly key?: {
    readonly teamId: string;
    readonly keyIdentifier: string;
    /** SPKI in PEM. */
    readonly publicKey: string;
  };
  /** Exact callback URLs. Callbacks on loopback are always accepted. */
  readonly callbacks?: readonly string[];
}

/** An authorization, from the log-in page until its code is redeemed. */
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

/** One-time codes, valid for a minute. */
export class GrantedCodes {
  private readonly grants = new Map<string, Grant>();

  issue(grant: Grant): string {
    const code = randomBytes(32).toString("base64url");
    this.grants.set(code, grant);
    return code;
  }

  /** The grant if client, callback and verifier match, else `null`. The code is used up in any case. */
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

/** Faulty `debug_token` data. `now` is in seconds. */
export const wrongStatements = {
  otherApp: () => ({ app_id: "999999999999999" }),
  otherUser: () => ({ user_id: "88888888888888888" }),
  notValid: () => ({ is_valid: false }),
  expired: (now) => ({ expires_at: now - 3_600 }),
  noUser: () => ({ user_id: undefined }),
  otherKind: () => ({ type: "PAGE" }),
} as const satisfies Readonly<Record<string, (now: number) => object>>;

/** A fault in Facebook's `debug_token` response. */
export type DebugFault = keyof typeof wrongStatements;

export const debugFaults = Object.keys(wrongStatements) as readonly DebugFault[];

export const endpoints = ["token", "keys", "debug", "profile"] as const;

export type Endpoint = (typeof endpoints)[number];

export interface ProviderFaults {
  readonly idToken?: TokenFault;
  readonly debug?: DebugFault;
  /** By endpoint. */
  readonly answers?: Partial<Readonly<Record<Endpoint, AnswerFault>>>;
}

/** The state of a fake provider. */
export interface FakeProvider {
  readonly clients: ReadonlyMap<string, FakeClient>;
  /** Accounts by id. */
  readonly accounts: ReadonlyMap<string, FakeAccount>;
  readonly keys: SigningKeys;
  readonly codes: GrantedCodes;
  /** Account and client by access token. */
  readonly accessTokens: Map<string, { readonly account: FakeAccount; readonly clientId: string }>;
  faults: ProviderFaults;
}

/** One request to a fake provider. */
export interface Call extends Exchange {
  readonly fake: FakeProvider;
  /** Form of a POST request. */
  readonly form: URLSearchParams;
  /** The directory in the path, for Microsoft only. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Sends the response of the endpoint, or its configured fault. */
export function answer(call: Call, endpoint: Endpoint, body: Readonly<Record<string, unknown>>): void {
  const fault = call.fake.faults.answers?.[endpoint];
  if (fault === undefined) send(call.response, 200, body);
  else wrongAnswers[fault](call, JSON.stringify(body));
}
