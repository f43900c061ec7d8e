/** A request that the service answered. Masks such as `<pass>` stand for credentials. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** Alias of the database; `null` if the path matches none. */
  readonly alias: string | null;
  /** Path and query without the alias. */
  readonly path: string;
  /** Pattern of the route, such as `/v1/object/{id}`; `null` if the path matches none. */
  readonly route: string | null;
  readonly status: number;
  /** 0 for a success. */
  readonly code: number;
  /** Log-in mode of the credential; `null` without one. */
  readonly mode: string | null;
  /** The user, as the test names it; `null` without a session, or if the name is unknown. */
  readonly user: string | null;
  /** The parsed and decrypted body; `undefined` without one, and for a file. */
  readonly body: unknown;
  /** `data` of a success; `undefined` if there is none. */
  readonly data: unknown;
  /** Whether the body was a file. */
  readonly hasFile: boolean;
  /** Milliseconds. */
  readonly duration: number;
  /** Items of a multi request. */
  readonly items?:
    | readonly {
        readonly route: string | null;
        readonly method: string | null;
        readonly status: number;
        readonly code: number;
      }[]
    | undefined;
}

/** A check of a refused request: what it asked and what it found. */
export interface ExplainedStep {
  readonly asked: string;
  readonly found: string;
}

interface ExplainedFailure {
  readonly code: number;
  readonly status: number;
  readonly name: string;
  readonly steps: readonly ExplainedStep[];
  readonly nextSteps: readonly string[];
}

/** Why a request was refused, as `sallyport why` shows it. */
export interface Explanation {
  readonly requestId: string;
  readonly at: number;
  readonly method: string;
  readonly route: string;
  readonly network: string;
  readonly appKey: string | null;
  readonly mode: string | null;
  readonly user: string | null;
  readonly failure: ExplainedFailure | null;
  readonly items: readonly (ExplainedFailure & {
    readonly index: number;
    readonly method: string;
    readonly route: string;
  })[];
}
