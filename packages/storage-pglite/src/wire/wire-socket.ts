import { Duplex } from "node:stream";
import type { BackendSession, EmbeddedBackend } from "../backend/embedded-backend.ts";
import { WireBatcher, type WireBatch } from "./wire-batcher.ts";

/**
 * The socket of a `pg.Client`: a connection to the embedded database. It speaks the PostgreSQL protocol, so that the
 * client behaves as with a server.
 */
export class WireSocket extends Duplex {
  readonly #backend: EmbeddedBackend;
  readonly #batcher = new WireBatcher();
  #session: BackendSession | undefined;

  constructor(backend: EmbeddedBackend) {
    super({ allowHalfOpen: false });
    this.#backend = backend;
  }

  /** Like `net.Socket`; there is no address. */
  connect(): this {
    process.nextTick(() => this.emit("connect"));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // Answers are pushed when they arrive.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    try {
      for (const batch of this.#batcher.push(chunk)) this.#handle(batch);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#session?.end();
    done(error);
  }

  #handle(batch: WireBatch): void {
    switch (batch.kind) {
      case "encryption":
        this.push("N");
        return;
      case "startup":
        void this.#start(batch.bytes).catch((error: Error) => this.destroy(error));
        return;
      case "messages":
        void this.#exchange(batch.bytes, batch.settles).catch((error: Error) => this.destroy(error));
        return;
      case "cancel":
      case "terminate":
        this.push(null);
    }
  }

  async #start(packet: Uint8Array): Promise<void> {
    const session = await this.#backend.attach(() => this.destroy());
    if (this.destroyed) return session.end();
    this.#session = session;
    await this.#exchange(packet, true);
  }

  async #exchange(bytes: Uint8Array, settles: boolean): Promise<void> {
    if (this.#session === undefined) throw new Error("the client sent data before the connection was established");
    const { bytes: answer, stopped } = await this.#session.exchange(bytes, settles);
    if (this.destroyed || this.readableEnded) return;
    if (answer.length > 0) this.push(Buffer.from(answer.buffer));
    if (stopped !== undefined) this.destroy(stopped);
  }
}
