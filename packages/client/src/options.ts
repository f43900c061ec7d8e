import type { LogInRequest } from "@sallyport/contract";
import type { ClientKeyPair, RsaPadding } from "./crypto/rsa.ts";
import type { Fetch } from "./transport/transport.ts";

/** What a client needs to know. */
export interface ClientOptions {
  /** Address of the server, with the prefix it is mounted under if there is one. */
  readonly baseUrl: string;
  /** Alias of the database; the database with the empty alias unless given. */
  readonly alias?: string | undefined;
  readonly appKey: string;
  /** Sends the requests instead of the platform's own. */
  readonly fetch?: Fetch | undefined;
  /** Milliseconds for each call that does not bring its own limit; 30,000 unless given, 0 for none. */
  readonly timeout?: number | undefined;
  /**
   * Whether to log in anew when a session is over, once for all calls that notice it. Unless it is `false`, the client
   * remembers the credentials until the log-out.
   */
  readonly renew?: boolean | undefined;
}

/** What the client tells of the device it runs on. */
export type Device = Readonly<NonNullable<LogInRequest["device"]>>;

/** What every log-in takes. */
export interface LogInFields {
  readonly user: string;
  /** The password itself. What is sent is its MD5, unless `passwordHash` says otherwise. */
  readonly password: string;
  /** How the password is sent: as its MD5, or as it is, for databases that take nothing else. `md5` unless given. */
  readonly passwordHash?: "md5" | "none" | undefined;
  readonly appNames: readonly string[];
  /** With a `deviceId`, the server limits how many sessions the user has on the device: beyond that a log-in ends the least recently renewed one. */
  readonly device?: Device | undefined;
  /** The token of the second factor. It is good once, so such a log-in is not repeated when its session is over. */
  readonly twoFactorToken?: string | undefined;
  /** Asks for a session that is good for setting up a second factor alone, where one is demanded that is not there (340). */
  readonly enrolling?: boolean | undefined;
}

/** What a log-in takes that is encrypted with the server's RSA key. */
export interface KeyOptions {
  /** The server's key as PEM, known beforehand. Otherwise it is fetched at each log-in. */
  readonly serverKey?: string | undefined;
  /**
   * Fetches the server's key over plain HTTP from another machine, too: whoever is on the way can put another in its
   * place and read the password. For networks that are protected otherwise.
   */
  readonly allowUnprotectedKey?: boolean | undefined;
  /** The pair for the answer; otherwise each log-in makes one. */
  readonly keyPair?: ClientKeyPair | undefined;
}

/** Another way in than the log-in of database users; made by `@sallyport/client/identity`. */
export interface LogInEndpoint {
  readonly path: string;
  /** What its body has beyond that of a log-in. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What it has answered already: nothing is sent. */
  readonly answered?: unknown;
  /** Whether it opens once only, so that such a log-in is not repeated when its session is over. */
  readonly once?: boolean;
}

/** A session id (`POST /v1/login`) or a JWT (`POST /v2/login`), both over a protected connection. */
export interface PlainLogInOptions extends LogInFields {
  readonly mode: "session" | "token";
  /** With `mode: "session"`. */
  readonly endpoint?: LogInEndpoint | undefined;
}

/** A JWT, with log-in and answer encrypted (the encrypted form of `POST /v2/login`); RSA-OAEP with SHA-256. */
export interface EncryptedLogInOptions extends LogInFields, KeyOptions {
  readonly mode: "encrypted";
}

/** Everything encrypted (`POST /v2/login/secure`). */
export interface SecureLogInOptions extends LogInFields, KeyOptions {
  readonly mode: "secure";
  /** `OAEP-SHA-256` unless given. */
  readonly padding?: RsaPadding | undefined;
}

export type LogInOptions = PlainLogInOptions | EncryptedLogInOptions | SecureLogInOptions;
