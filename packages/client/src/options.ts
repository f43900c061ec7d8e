import type { LogInRequest } from "@sallyport/contract";
import type { ClientKeyPair, RsaPadding } from "./crypto/rsa.ts";
import type { Fetch } from "./transport/transport.ts";

/** Options of a client. */
export interface ClientOptions {
  /** URL of the server, with its path prefix if it has one. */
  readonly baseUrl: string;
  /** Alias of the database. Default: the empty alias. */
  readonly alias?: string | undefined;
  readonly appKey: string;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Default time limit of a call in milliseconds, with its repetitions. Default: 30,000; 0 for none. */
  readonly timeout?: number | undefined;
  /** Default of `retries` of a call. Default: 0. */
  readonly retries?: number | undefined;
  /**
   * Whether to log in again when a session ends, once for all affected calls. Default: true. The client then keeps the
   * credentials in memory until the log-out.
   */
  readonly renew?: boolean | undefined;
}

/** Information about the client's device. */
export type Device = Readonly<NonNullable<LogInRequest["device"]>>;

/** Fields of every log-in. */
export interface LogInFields {
  readonly user: string;
  /** The plain password. Its MD5 is sent, unless `passwordHash` is `none`. */
  readonly password: string;
  /** How the password is sent: as its MD5, or in plain text for databases that require it. Default: `md5`. */
  readonly passwordHash?: "md5" | "none" | undefined;
  readonly appNames: readonly string[];
  /** With a `deviceId`, the server limits sessions per user and device and ends the least recently renewed one. */
  readonly device?: Device | undefined;
  /** One-time token of the second factor. Such a log-in is not repeated when its session ends. */
  readonly twoFactorToken?: string | undefined;
  /** Requests a session only for second factor enrolment, if a required factor is missing (340). */
  readonly enrolling?: boolean | undefined;
}

/** Options of log-ins that are encrypted with the server's RSA key. */
export interface KeyOptions {
  /** The server's pinned key as PEM. Default: fetched at each log-in. */
  readonly serverKey?: string | undefined;
  /**
   * Allows fetching the server's key over plain HTTP from another machine. A man in the middle can then replace the key
   * and read the password. Only for networks with other protection.
   */
  readonly allowUnprotectedKey?: boolean | undefined;
  /** Key pair for the response. Default: a new pair for each log-in. */
  readonly keyPair?: ClientKeyPair | undefined;
}

/** A log-in endpoint other than that of database users. `@sallyport/client/identity` creates them. */
export interface LogInEndpoint {
  readonly path: string;
  /** Additional members of the request body. */
  readonly fields?: Readonly<Record<string, string>>;
  /** An existing response. If set, nothing is sent. */
  readonly answered?: unknown;
  /** Whether it works only once. Such a log-in is not repeated when its session ends. */
  readonly once?: boolean;
}

/** Log-in with a session id (`POST /v1/login`) or a JWT (`POST /v2/login`). Use them over TLS only. */
export interface PlainLogInOptions extends LogInFields {
  readonly mode: "session" | "token";
  /** Only with `mode: "session"`. */
  readonly endpoint?: LogInEndpoint | undefined;
}

/** Log-in with a JWT and an encrypted exchange (`POST /v2/login`), using RSA-OAEP with SHA-256. */
export interface EncryptedLogInOptions extends LogInFields, KeyOptions {
  readonly mode: "encrypted";
}

/** Log-in with all traffic encrypted (`POST /v2/login/secure`). */
export interface SecureLogInOptions extends LogInFields, KeyOptions {
  readonly mode: "secure";
  /** Default: `OAEP-SHA-256`. */
  readonly padding?: RsaPadding | undefined;
}

export type LogInOptions = PlainLogInOptions | EncryptedLogInOptions | SecureLogInOptions;
