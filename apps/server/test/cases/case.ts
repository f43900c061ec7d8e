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
  /** `internalStatus`; the HTTP status and the message follow from the catalogue. */
  readonly code: number;
  /** Checks `data` of a success. */
  readonly data?: (data: Json) => void;
  /** Headers that the answer must carry, by lower-case name. */
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** Texts that must not stand anywhere in the answer. */
  readonly lacks?: readonly string[];
}

/** One request and what must come back. */
export interface Case {
  readonly title: string;
  /** Whose session the request carries; none unless given. */
  readonly as?: DemoUser;
  /** `GET` unless given. */
  readonly method?: string;
  readonly path: string | ((known: Known) => string);
  /** Besides the demo's app key; `null` leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** A text is sent as it is, anything else as JSON with its content type. */
  readonly body?: unknown;
  readonly expect: Expected;
  /** Also run on the engines that see a part of the suite only. */
  readonly smoke?: true;
}
