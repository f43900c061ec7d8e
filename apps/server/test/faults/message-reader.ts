/** A message of the PostgreSQL protocol, with its head. */
export interface Message {
  /** One letter; empty for the first message of a client. */
  readonly type: string;
  readonly bytes: Buffer;
  readonly body: Buffer;
}

/** Splits a stream into messages. */
export class MessageReader {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private untyped: boolean) {}

  /** The messages that are complete with this piece. */
  read(piece: Buffer): Message[] {
    this.rest = Buffer.concat([this.rest, piece]);
    const messages: Message[] = [];
    for (;;) {
      const head = this.untyped ? 0 : 1;
      if (this.rest.length < head + 4) return messages;
      const end = head + this.rest.readInt32BE(head);
      if (this.rest.length < end) return messages;
      const bytes = this.rest.subarray(0, end);
      messages.push({ type: bytes.toString("latin1", 0, head), bytes, body: bytes.subarray(head + 4) });
      this.rest = this.rest.subarray(end);
      this.untyped = false;
    }
  }
}
