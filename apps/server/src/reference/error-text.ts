import type { ErrorCode } from "@sallyport/storage";

/** The documentation of an error code: Markdown, relative to `docs/reference/errors`. */
export interface ErrorText {
  /** The statement of the code about the request, in one to three sentences. */
  readonly meaning: string;
  /** Why the server returns the code. Each cause is one or two sentences. Absent for a code that no route returns. */
  readonly causes?: readonly string[];
  /** Remedies for the caller or the operator. Each action is one or two sentences. Absent for a code that no route returns. */
  readonly actions?: readonly string[];
}

/** Texts by code. */
export type ErrorTexts<Code extends ErrorCode = ErrorCode> = Readonly<Record<Code, ErrorText>>;
