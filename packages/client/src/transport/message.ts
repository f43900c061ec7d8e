/** What a request carries besides method and address. */
export interface OutgoingMessage {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text is JSON or whatever `content-type` says, bytes are those of a file. */
  readonly body?: string | Uint8Array | undefined;
}

/** An answer, read to its end. */
export interface IncomingMessage {
  /** HTTP status. */
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array;
}
