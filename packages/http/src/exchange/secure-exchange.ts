import {
  buildCounterBlock,
  directions,
  formatEncryptedHeader,
  parseCounterBlock,
  parseEncryptedHeader,
} from "@sallyport/contract";
import { type Digest, ServiceError } from "@sallyport/storage";
import { type ChannelTraffic, type Database, type OpenChannel } from "@sallyport/core";

/** Decrypts the request and encrypts the response of one exchange in a secure session. */
export class SecureExchange {
  private answered = false;

  constructor(
    private readonly traffic: ChannelTraffic,
    private readonly channel: OpenChannel,
    private readonly database: Database,
    private readonly session: Digest,
  ) {}

  /** Decrypts a body. Throws 312 for a malformed, foreign or replayed message. */
  async open(header: string | undefined, body: Uint8Array): Promise<Uint8Array> {
    const iv = await this.accept(header);
    const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
    const message = Buffer.from(text, "base64");
    if (message.toString("base64") !== text) throw unopened("The body is not base64.");
    return this.traffic.apply(this.channel, iv, message);
  }

  /** Decrypts a streamed body, which is raw ciphertext. The first read throws 312 like `open`, before it reads a byte. */
  async *decryptedStream(
    header: string | undefined,
    body: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.traffic.applyToStream(this.channel, await this.accept(header), body);
  }

  /** Returns the counter block of a request, and marks its message number as used. */
  private async accept(header: string | undefined): Promise<Uint8Array> {
    const iv = parseEncryptedHeader(header ?? "")?.iv;
    const counter = iv && parseCounterBlock(iv);
    if (iv === undefined || counter === undefined) throw unopened("The header Encrypted contains no counter block.");
    if (counter.direction !== directions.toServer) throw unopened("The counter block has the wrong direction.");
    if (!Buffer.from(counter.ivPrefix).equals(this.channel.ivPrefix))
      throw unopened("The counter block belongs to another session.");
    if (counter.block !== 0) throw unopened("The counter block is not the initial block of a message.");
    await this.traffic.accept(this.database, this.session, counter.message);
    return iv;
  }

  /** Encrypts the response, once. */
  seal(answer: Uint8Array): { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> } {
    const iv = this.answerBlock();
    const message = this.traffic.apply(this.channel, iv, answer);
    const body = Buffer.from(
      Buffer.from(message.buffer, message.byteOffset, message.length).toString("base64"),
      "latin1",
    );
    return {
      body,
      headers: { "Content-Type": "application/text; charset=utf-8", Encrypted: formatEncryptedHeader({ iv }) },
    };
  }

  /** Encrypts the bytes of a file as the response, once. They become raw ciphertext. */
  sealStream(bytes: AsyncIterable<Uint8Array>): {
    readonly bytes: AsyncIterable<Uint8Array>;
    readonly headers: Readonly<Record<string, string>>;
  } {
    const iv = this.answerBlock();
    return {
      bytes: this.traffic.applyToStream(this.channel, iv, bytes),
      headers: { Encrypted: formatEncryptedHeader({ iv }) },
    };
  }

  private answerBlock(): Uint8Array {
    // Reusing a message number would reveal both plain texts.
    if (this.answered) throw new ServiceError(799, { detail: "The response is already encrypted." });
    this.answered = true;
    const { ivPrefix, answerNumber } = this.channel;
    return buildCounterBlock({ direction: directions.toClient, ivPrefix, message: answerNumber, block: 0 });
  }
}

function unopened(detail: string): ServiceError {
  return new ServiceError(312, { detail });
}
