import { AsyncLocalStorage } from "node:async_hooks";
import { type Attempt, KernelStorage, type Repositories } from "@sallyport/storage";
import { MemoryKernel } from "./memory-kernel.ts";

export interface MemoryStorageOptions {
  /** Milliseconds by which the storage's clock is ahead of the process's, read at every call. Default: 0. */
  readonly clockOffset?: () => number;
}

/** A database in the memory of this process: the default repositories over ordered maps. */
export class MemoryStorage extends KernelStorage {
  /** Keeps the present content. The result restores it, as often as it is called. */
  readonly snapshot: () => Promise<() => Promise<void>>;
  /** The transaction of the running code. */
  private readonly current: AsyncLocalStorage<{ isRunning: boolean }>;

  constructor({ clockOffset = () => 0 }: MemoryStorageOptions = {}) {
    const current = new AsyncLocalStorage<{ isRunning: boolean }>();
    const kernel = new MemoryKernel({
      clockOffset,
      isInTransaction: () => current.getStore()?.isRunning === true,
    });
    super(kernel);
    this.current = current;
    this.snapshot = () => kernel.snapshot();
  }

  /** Refuses calls of the work on the storage itself, which would wait for the transaction for ever. */
  override transaction<T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T> {
    return super.transaction(async (r, attempt) => {
      const transaction = { isRunning: true };
      try {
        return await this.current.run(transaction, () => work(r, attempt));
      } finally {
        transaction.isRunning = false;
        // Otherwise every promise of the process would still be tracked for this storage.
        this.current.disable();
      }
    });
  }
}
