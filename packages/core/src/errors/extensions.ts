/** Failures of this implementation that the fixed catalogue has no code for. */
export const extensions = [
  {
    code: 340,
    status: 401,
    name: "Two-factor token is required",
    condition:
      "An app name demands a second factor, and the user has none that is confirmed. In a session that was opened to set one up: anything else.",
  },
  {
    code: 341,
    status: 401,
    name: "Two-factor token is missing",
    condition: "The user has a second factor, and `2faToken` or `token` is absent or empty.",
  },
  {
    code: 342,
    status: 401,
    name: "Two-factor token is invalid",
    condition: "`2faToken` or `token` is wrong, expired or was used before.",
  },
  {
    code: 800,
    status: 429,
    name: "Too many requests",
    condition: "A configured request rate is exceeded; `Retry-After` says when to come back.",
  },
  {
    code: 801,
    status: 413,
    name: "Payload is too large",
    condition: "The body is larger than the route takes, or an object would be larger than 1 MiB.",
  },
] as const satisfies readonly CatalogueEntry[];

/** One kind of failure, as the client sees it and as the reference documents it. */
export interface CatalogueEntry {
  /** `status.internalStatus` of the answer, as a number. */
  readonly code: number;
  /** HTTP status; a code never appears with two. */
  readonly status: number;
  /** `status.statusMessage` of the answer. */
  readonly name: string;
  /** When it is answered, in one sentence of Markdown. */
  readonly condition: string;
}
