import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import { crc32 } from "node:zlib";
import type { ByteDigests, DigestStream, FileHashes, Sha256Stream } from "@sallyport/core";
import { HashRing, type HashRequest, operations } from "./hash-ring.ts";
import type { HashReply } from "./hash-thread-main.ts";

/** Bytes on their way to the thread. */
const ringSize = 1_048_576;
/** Milliseconds after which a thread without streams ends. */
const idleTime = 60_000;
const noBytes = new Uint8Array(0);

/** Digests of Node. Those of uploads are computed in a thread, which starts on demand and ends when it is idle. */
export class ThreadHashes implements FileHashes {
  #thread: HashThread | undefined;
  #isClosed = false;

  sha256(): Sha256Stream {
    const hash = createHash("sha256");
    return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") };
  }

  checksum(bytes: Uint8Array, before: number): number {
    return crc32(bytes, before);
  }

  open(withMd5: boolean): DigestStream {
    if (this.#isClosed) throw new Error("the thread for digests was closed");
    if (this.#thread?.isUsable !== true) this.#thread = new HashThread();
    return this.#thread.open(withMd5);
  }

  /** Terminates the thread. Its streams fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.close();
  }
}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

/** A request that waits for room in the ring. The rest of its bytes may not change until then. */
interface Delayed extends Waiting {
  readonly request: HashRequest;
  rest: Uint8Array;
}

/** A thread with streams of bytes. It keeps the process alive only while someone waits for it. */
class HashThread {
  readonly #thread: Worker;
  readonly #ring: HashRing;
  readonly #streams = new Set<number>();
  readonly #delayed: Delayed[] = [];
  readonly #replies = new Map<number, (reply: ByteDigests | Error) => void>();
  #latest = 0;
  #ended: Error | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor() {
    const memory = HashRing.memoryOf(ringSize);
    this.#ring = new HashRing(memory);
    this.#thread = new Worker(new URL("./hash-thread-main.js", import.meta.url), { workerData: memory });
    this.#thread.on("message", (reply: HashReply) => this.#take(reply));
    this.#thread.on("error", (error) => this.#end(error));
    this.#thread.on("exit", (code) => this.#end(new Error(`the thread for digests ended (${code})`)));
    this.#thread.unref();
  }

  get isUsable(): boolean {
    return this.#ended === undefined;
  }

  open(withMd5: boolean): DigestStream {
    const stream = this.#add();
    this.#send({ operation: operations.open, stream, value: Number(withMd5) });
    return this.#streamOf(stream, withMd5);
  }

  async close(): Promise<void> {
    this.#end(new Error("the thread for digests was closed"));
    await this.#thread.terminate();
  }

  #add(): number {
    clearTimeout(this.#idle);
    this.#latest += 1;
    this.#streams.add(this.#latest);
    return this.#latest;
  }

  #streamOf(stream: number, hasMd5: boolean): DigestStream {
    return {
      hasMd5,
      update: (bytes) => this.#send({ operation: operations.update, stream }, bytes),
      digests: () => this.#digestsOf(stream),
      copy: (withMd5) => {
        const [target, value] = [this.#add(), Number(withMd5)];
        this.#send({ operation: operations.copy, stream, value, target });
        return this.#streamOf(target, hasMd5 && withMd5);
      },
      close: () => {
        if (!this.#streams.delete(stream)) return;
        this.#send({ operation: operations.close, stream });
        if (this.#streams.size === 0) this.#idle = setTimeout(() => void this.close(), idleTime).unref();
      },
    };
  }

  #digestsOf(stream: number): Promise<ByteDigests> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#latest += 1;
    const value = this.#latest;
    const replied = new Promise<ByteDigests>((resolve, reject) => {
      this.#replies.set(value, (reply) => (reply instanceof Error ? reject(reply) : resolve(reply)));
    });
    this.#send({ operation: operations.digest, stream, value });
    this.#keepAlive();
    return replied;
  }

  /** Sends a request. Returns a promise if it waits for room. Requests keep their order. */
  #send(
    { operation, stream, value = 0, target = 0 }: Pick<HashRequest, "operation" | "stream"> & Partial<HashRequest>,
    bytes: Uint8Array = noBytes,
  ): Promise<void> | undefined {
    if (this.#ended !== undefined) return operation === operations.update ? Promise.reject(this.#ended) : undefined;
    const request = { operation, stream, value, target };
    const rest = this.#delayed.length === 0 ? this.#write(request, bytes) : bytes;
    if (rest === null) return undefined;
    const delivery = new Promise<void>((resolve, reject) => {
      this.#delayed.push({ request, rest, resolve, reject });
    });
    // The streams of requests without bytes learn of a failure by their next call.
    delivery.catch(() => {});
    this.#wait();
    return delivery;
  }

  /** Writes as much as there is room for. Returns the rest of the bytes; `null` if the request is written. */
  #write(request: HashRequest, bytes: Uint8Array): Uint8Array | null {
    for (let rest = bytes; ; ) {
      const length = this.#ring.write(request, rest);
      if (length === undefined) return rest;
      rest = rest.subarray(length);
      if (rest.length === 0) return null;
    }
  }

  #wait(): void {
    this.#keepAlive();
    if (!this.#ring.awaitRoom()) queueMicrotask(() => this.#writeDelayed());
  }

  #writeDelayed(): void {
    for (let next = this.#delayed[0]; next !== undefined; next = this.#delayed[0]) {
      const rest = this.#write(next.request, next.rest);
      if (rest !== null) {
        next.rest = rest;
        return this.#wait();
      }
      this.#delayed.shift();
      next.resolve();
    }
    this.#keepAlive();
  }

  #take(reply: HashReply): void {
    if (reply === null) return this.#writeDelayed();
    const { number, ...digests } = reply;
    const settle = this.#replies.get(number);
    this.#replies.delete(number);
    this.#keepAlive();
    settle?.(digests);
  }

  #keepAlive(): void {
    if (this.#replies.size + this.#delayed.length > 0) this.#thread.ref();
    else this.#thread.unref();
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    clearTimeout(this.#idle);
    for (const { reject } of this.#delayed.splice(0)) reject(this.#ended);
    for (const settle of this.#replies.values()) settle(this.#ended);
    this.#replies.clear();
  }
}
