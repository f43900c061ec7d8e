import type { LogInMode } from "@sallyport/client";

/** What a running demo is known to hold; found out once per server. */
export interface Known {
  /** Id of a `Customer`. */
  readonly customerId: string;
  /** Id of an `Invoice`. */
  readonly invoiceId: string;
}

/** Parsed JSON; what shape it has is for the case to check. */
export type Json = ReturnType<typeof JSON.parse>;

export type DemoUser = "demo" | "reader" | "admin";

export interface Expected {
  /**
   * `internalStatus`; the HTTP status and the message follow from the catalogue. A session that is refused as 201 is refused
   * as 203 in the modes that have tokens.
   */
  readonly code: number;
  /** Whether the answer comes before the session is known, and so in clear text in every mode. */
  readonly beforeSession?: true;
  /** Whether a success is a document in no envelope. */
  readonly isDocument?: true;
  /** Checks `data` of a success, or the document; of a log-in, without the credentials. */
  readonly data?: (data: Json) => void;
  /** Headers that the answer must carry, by lower-case name. */
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** Texts that must not stand anywhere in the answer. */
  readonly lacks?: readonly string[];
}

/** One request and what must come back. */
export interface Case {
  readonly title: string;
  /** Whose session the request carries; none unless given. With a session, the case runs in every log-in mode. */
  readonly as?: DemoUser;
  /** The modes of the session; all unless given. */
  readonly modes?: readonly LogInMode[];
  /** Whether the body holds the fields of a log-in, so that the case runs with every way to log in. */
  readonly isLogIn?: true;
  /** Sends the names of the headers in capitals. */
  readonly inCapitals?: true;
  /** `GET` unless given. */
  readonly method?: string;
  readonly path: string | ((known: Known) => string);
  /** Besides the demo's app key; `null` leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** A text is sent as it is, anything else as JSON with its content type. */
  readonly body?: unknown;
  /** A body in JSON that no value would be written as. */
  readonly json?: string;
  readonly expect: Expected;
}
