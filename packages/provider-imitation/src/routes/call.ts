import type { IncomingMessage, ServerResponse } from "node:http";
import type { GrantedCodes } from "../granted-codes.ts";
import type { ImitatedAccount } from "../imitated-account.ts";
import type { ImitatedClient } from "../imitated-client.ts";
import type { Misbehaviour } from "../misbehaviour.ts";
import type { SigningKeys } from "../tokens/signing-keys.ts";

/** What an imitation of one provider remembers. */
export interface Imitation {
  readonly clients: ReadonlyMap<string, ImitatedClient>;
  /** Who has an account, by id. */
  readonly accounts: ReadonlyMap<string, ImitatedAccount>;
  readonly keys: SigningKeys;
  readonly codes: GrantedCodes;
  /** By access token, who it is for and which client got it. */
  readonly accessTokens: Map<string, { readonly account: ImitatedAccount; readonly clientId: string }>;
  misbehaviour: Misbehaviour;
}

/** One request to an imitation. */
export interface Call {
  readonly imitation: Imitation;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Of a POST. */
  readonly form: URLSearchParams;
  /** What the path says beyond the route: the directory at Microsoft. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}
