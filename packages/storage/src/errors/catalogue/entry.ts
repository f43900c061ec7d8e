/** What an error code means, and what its documentation says about it. Texts are Markdown. */
export interface EntryText {
  /** HTTP status. Each code has exactly one. */
  readonly status: number;
  /** `status.statusMessage` of the response. */
  readonly name: string;
  /** The code is an extension: it is not part of the fixed catalogue. */
  readonly added?: true;
  /** When the code is returned, in one sentence. */
  readonly condition: string;
  /** The statement of the code about the request, in one to three sentences. Links are relative to `docs/reference/errors`. */
  readonly meaning: string;
  /** Why the server returns the code. Each cause is one or two sentences. Absent for a code that no operation returns. */
  readonly causes?: readonly string[];
  /** Remedies for the caller or the operator. Each is one or two sentences. Absent for a code that no operation returns. */
  readonly actions?: readonly string[];
}

/** Entries by code. */
export type Entries<Code extends number = number> = Readonly<Record<Code, EntryText>>;
