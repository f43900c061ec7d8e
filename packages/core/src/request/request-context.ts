import type { Digest } from "../digests/index.ts";
import type { MacroExecution } from "../macros/index.ts";
import type { AppKey, Principal, Repositories, Session } from "../storage/index.ts";
import type { Database } from "./database.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export interface ClientOrigin {
  /** The client's address, behind configured proxies too. */
  readonly address: string;
  /** What failures are counted by: the IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string;
}

/** What is known of a request whose use case admits it by what it brings. */
export interface ArrivingContext {
  readonly requestId: string;
  readonly origin: ClientOrigin;
  readonly database: Database;
  /** The repositories that this request works with; inside a transaction, those of the transaction. */
  readonly r: Repositories;
  /** How the request writes several things as one; belongs to `r`. */
  readonly unit: UnitOfWork;
  /** Calls back when nobody waits for the answer any more, at once if that is so already; gives back how not to be called. */
  readonly onDisconnect?: (call: () => void) => () => void;
}

/** What every other use case knows of the request it serves. */
export interface RequestContext extends ArrivingContext {
  readonly modelGeneration: number;
  /** Number of the current macros in the database. */
  readonly macroGeneration: number;
}

export interface AppKeyContext extends RequestContext {
  readonly appKey: AppKey;
}

export interface SessionContext extends AppKeyContext {
  readonly session: Session;
  readonly sessionDigest: Digest;
  /** How the session is refused once it is over: as a session id or as a token, whichever the request has shown. */
  readonly overCode: 201 | 203;
  readonly principal: Principal;
  /** What is being executed, where a macro or a hook has asked for this. */
  readonly execution?: MacroExecution;
}
