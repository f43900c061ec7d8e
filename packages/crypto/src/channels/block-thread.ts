import { Worker } from "node:worker_threads";
import type { BlockReply, BlockRequest } from "./block-messages.ts";
import type { OpenedBlocks } from "./open-blocks.ts";

interface Waiting {
  resolve(opened: OpenedBlocks | undefined): void;
  reject(error: Error): void;
}

/** One thread that opens cipher blocks, one request at a time. It keeps the process alive only while it works. */
export class BlockThread {
  readonly #thread = new Worker(new URL("./block-thread-main.js", import.meta.url));
  #waiting: Waiting | undefined;
  #ended: Error | undefined;

  constructor() {
    this.#thread.on("message", (reply: BlockReply) => this.#settle(reply));
    this.#thread.on("error", (error) => this.#end(error));
    this.#thread.on("exit", (code) => this.#end(new Error(`the thread for RSA ended (${code})`)));
    this.#thread.unref();
  }

  get usable(): boolean {
    return this.#ended === undefined;
  }

  open(request: BlockRequest): Promise<OpenedBlocks | undefined> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#thread.ref();
      this.#thread.postMessage(request, []);
    });
  }

  async close(): Promise<void> {
    this.#end(new Error("the thread for RSA was closed"));
    await this.#thread.terminate();
  }

  #settle(reply: BlockReply): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#thread.unref();
    if ("failed" in reply) waiting?.reject(new Error(`RSA failed: ${reply.failed}`));
    else waiting?.resolve(reply.opened);
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    this.#waiting?.reject(this.#ended);
    this.#waiting = undefined;
  }
}
