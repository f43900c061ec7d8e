import type { AppKey, Digest, Principal, Repositories, Session } from "@sallyport/storage";
import type { MacroExecution } from "../macros/index.ts";
import type { Database } from "./database.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

export interface ClientOrigin {
  /** The client's address, also behind configured proxies; `unknown` if such a proxy does not forward a readable one. */
  readonly address: string;
  /** Key for counting failures: the IPv4 address, or the /64 network of an IPv6 address, or `unknown`. */
  readonly network: string;
}

/** A context with the services that a use case needs besides the repositories. Each use case names its own. */
export interface Uses<Services> {
  readonly services: Services;
}

/** Context of a request before admission. */
export interface UnadmittedContext {
  readonly requestId: string;
  readonly origin: ClientOrigin;
  readonly database: Database;
  /** The repositories of this request. Inside a transaction, those of the transaction. */
  readonly r: Repositories;
  /** Groups writes of the request into transactions. Belongs to `r`. */
  readonly unit: UnitOfWork;
  /** Calls `call` when the client disconnects, at once if it already has. Returns a function to unsubscribe. */
  readonly onDisconnect?: (call: () => void) => () => void;
}

/** Context of an admitted request. */
export interface RequestContext extends UnadmittedContext {
  readonly modelGeneration: number;
  /** Generation of the macros and limits in the database. */
  readonly settingsGeneration: number;
}

export interface AppKeyContext extends RequestContext {
  readonly appKey: AppKey;
}

/** What a session of a console rests on. */
export interface SessionBasis {
  /** SHA-256 under which storage has the app key of scope `admin`. */
  readonly appKey: Digest;
  /** SHA-256 of the id of the administrator's session. */
  readonly session: Digest;
  /** Whether the app key is that of a console. */
  readonly keyExpires: boolean;
}

export interface SessionContext extends AppKeyContext {
  readonly session: Session;
  readonly sessionDigest: Digest;
  /** SHA-256 of the app key. Long requests need it to ask for their session again. */
  readonly appKeyDigest: Digest;
  /** Absent or `null` for a session that rests on none. */
  readonly basis?: SessionBasis | null;
  /** The code for an ended session: 201 for a session id, 203 for a token. */
  readonly sessionEndedCode: 201 | 203;
  readonly principal: Principal;
  /** The running macro or hook that issued this call. */
  readonly execution?: MacroExecution;
}
