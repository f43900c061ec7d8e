import type { LogInMode } from "@sallyport/client";

/** Facts about a running demo, read once per server. */
export interface Known {
  /** Id of a `Customer`. */
  readonly customerId: string;
  /** Id of an `Invoice`. */
  readonly invoiceId: string;
}

/** Parsed JSON; each case checks its shape. */
export type Json = ReturnType<typeof JSON.parse>;

export type DemoUser = "demo" | "reader" | "admin";

export interface Expected {
  /**
   * `internalStatus`; the HTTP status and the message follow from the catalogue. A session that is refused as 201 is
   * refused as 203 in the modes with tokens.
   */
  readonly code: number;
  /** Whether the answer precedes the session check, and so is in clear text in every mode. */
  readonly beforeSession?: true;
  /** Whether a success is a document without an envelope. */
  readonly isDocument?: true;
  /** Checks `data` of a success, or the document; for a log-in, without the credentials. */
  readonly data?: (data: Json) => void;
  /** Headers that the answer must carry, by lower-case name. */
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** Texts that must not occur anywhere in the answer. */
  readonly lacks?: readonly string[];
}

/** One request and its expected answer. */
export interface Case {
  readonly title: string;
  /** The user whose session the request carries; default: none. With a session, the case runs in every log-in mode. */
  readonly as?: DemoUser;
  /** The modes of the session; default: all. */
  readonly modes?: readonly LogInMode[];
  /** Whether the body is a log-in, so that the case runs with every log-in endpoint. */
  readonly isLogIn?: true;
  /** Sends the names of the headers in capitals. */
  readonly inCapitals?: true;
  /** Default: `GET`. */
  readonly method?: string;
  readonly path: string | ((known: Known) => string);
  /** In addition to the demo's app key; `null` omits a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** A text is sent unchanged, anything else as JSON with its content type. */
  readonly body?: unknown;
  /** A JSON body that no value serializes to. */
  readonly json?: string;
  readonly expect: Expected;
  /** The path that removes what the request has created, by `DELETE` in the same session. */
  readonly undo?: (data: Json) => string;
}
