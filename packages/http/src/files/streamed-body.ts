import type { StreamType } from "@sallyport/contract";

/** The body of a request, not read yet. */
export interface StreamedBody {
  /** Media type in lower case. */
  readonly type: StreamType;
  /** The header as sent, for the boundary. */
  readonly contentType: string;
  /** Size of the body in bytes; `null` for a body in chunks. */
  readonly length: number | null;
  /** The bytes of the body, decrypted in a secure session. Can be iterated once. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether reading has begun, so that the client knows that the body is wanted. */
  readonly hasBegun: () => boolean;
  /** Stops reading. Repeated calls have no effect. */
  readonly close: () => void;
}
