/** One request of the load. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Load on one server. */
export interface LoadJob {
  /** `http://host:port`. */
  readonly address: string;
  readonly connections: number;
  /** Rounded up to whole seconds. */
  readonly seconds: number;
  /**
   * Ends the load after so many answers instead. Where a request waits long for its turn, the ones that the end of the
   * time cuts off would be work done for nothing, and the next contestant would find the server still at it.
   */
  readonly answers?: number;
  /** Every connection sends all of them in turn, each beginning at another one. */
  readonly requests: readonly LoadRequest[];
}

/** What a job gave. */
export interface LoadFigures {
  /** Answers with a status of 200 to 299. */
  readonly succeeded: number;
  /** Other answers, broken connections and time-outs. */
  readonly failed: number;
  /** To the last answer. */
  readonly seconds: number;
  /** Milliseconds. */
  readonly latency: { readonly p50: number; readonly p99: number };
}
