import { type ErrorCode, type FileStore, ServiceError } from "@sallyport/storage";
import { FaultScript } from "./fault-script.ts";
import { DriverError, type Latch } from "./fault.ts";

/** A call of a file store. */
export interface FileStoreCall {
  readonly name: keyof FileStore;
  readonly args: readonly unknown[];
}

/** The effect of a fault on a call of a file store. */
export type FileStoreFault =
  /** The call fails: without effect, or when it is done. */
  | { readonly kind: "failure"; readonly error: () => unknown; readonly when: "before" | "after" }
  /** The write or the read fails after this many bytes, at the latest at the end. A failed write stores nothing. */
  | { readonly kind: "interruption"; readonly error: () => unknown; readonly bytes: number }
  /** The read ends after this many bytes, without an error. A store must never do this. */
  | { readonly kind: "truncation"; readonly bytes: number }
  /** The call waits at a latch: before it starts, or after this many bytes of the write or the read. */
  | { readonly kind: "slow"; readonly latch: Latch; readonly bytes: number | null };

const failing = (code: ErrorCode, state: string) => () => new ServiceError(code, { cause: new DriverError(state) });
const before = (error: () => unknown): FileStoreFault => ({ kind: "failure", error, when: "before" });
const after = (error: () => unknown, bytes: number): FileStoreFault => ({ kind: "interruption", error, bytes });

/** The faults that a script can inject into a file store, each with the error code that callers receive. */
export const fileStoreFaults = {
  /** 700: the folder of a new file cannot be made. */
  notCreatable: before(failing(700, "EACCES")),
  /** 702: the disk is full before the first byte. */
  full: before(failing(702, "ENOSPC")),
  /** 709: the store is gone. */
  gone: before(failing(709, "ENOENT")),
  /** 707: the segment cannot be read. */
  unreadable: before(failing(707, "EIO")),
  /** 799: an unexpected error. */
  unexpected: before(failing(799, "EINVAL")),
  /** An error that is not translated. Adapters must never let this happen. */
  foreign: before(() => new DriverError("EBADF")),
  /** 702: the disk is full after these bytes of a write. */
  fullAfter: (bytes: number): FileStoreFault => after(failing(702, "ENOSPC"), bytes),
  /** 709: the store is gone after these bytes of a write. */
  goneAfter: (bytes: number): FileStoreFault => after(failing(709, "ENOENT"), bytes),
  /** 707: the read fails after these bytes. */
  unreadableAfter: (bytes: number): FileStoreFault => after(failing(707, "EIO"), bytes),
  /** 702: the call is done, but its answer is lost. The segment of a write exists. */
  answerLost: { kind: "failure", error: failing(702, "ECONNRESET"), when: "after" },
  /** The read ends after these bytes, as if the segment ended there. A store must never do this. */
  truncated: (bytes: number): FileStoreFault => ({ kind: "truncation", bytes }),
  /** The call waits at the latch: before it starts, or after these bytes of a write or a read. */
  slow: (latch: Latch, bytes: number | null = null): FileStoreFault => ({ kind: "slow", latch, bytes }),
} as const satisfies Readonly<Record<string, FileStoreFault | ((...args: never[]) => FileStoreFault)>>;

/** Selects the calls of a file store that fail. */
export class FileStoreFaultScript extends FaultScript<FileStoreCall, FileStoreFault> {}

/** A fault in the bytes of a call. */
type StreamFault = Exclude<FileStoreFault, { kind: "failure" }>;

/** Wraps the store and injects the faults of the script. Calls without a fault pass unchanged. */
export function withFileStoreFaults(store: FileStore, script: FileStoreFaultScript): FileStore {
  /** Makes a call. `run` gets the fault in the middle of its bytes. `discard` releases a lost answer. */
  const call = async <T>(
    name: FileStoreCall["name"],
    args: readonly unknown[],
    run: (fault: StreamFault | undefined) => Promise<T>,
    discard: (answer: T) => unknown = () => {},
  ): Promise<T> => {
    const fault = script.inject({ name, args });
    if (fault?.kind === "failure") {
      if (fault.when === "after") await discard(await run(undefined));
      throw fault.error();
    }
    if (fault?.kind !== "slow" || fault.bytes !== null) return run(fault);
    await fault.latch.pass();
    return run(undefined);
  };
  /** A call without bytes. */
  const plain = <T>(name: FileStoreCall["name"], args: readonly unknown[], run: () => Promise<T>): Promise<T> =>
    call(name, args, (fault) => {
      if (fault !== undefined) throw new TypeError(`${name} has no bytes and cannot fail in the middle of them.`);
      return run();
    });
  return {
    create: (file) => plain("create", [file], () => store.create(file)),
    write: (name, content) =>
      call("write", [name, content], (fault) => {
        if (fault?.kind === "truncation") throw new TypeError("Only reads can be truncated.");
        return store.write(name, fault === undefined ? content : faultyBytes(content, fault));
      }),
    read: (name, range) =>
      call(
        "read",
        [name, range],
        async (fault) => {
          const bytes = await store.read(name, range);
          return fault === undefined ? bytes : faultyBytes(bytes, fault);
        },
        (bytes) => bytes[Symbol.asyncIterator]().return?.(),
      ),
    remove: (names) => plain("remove", [names], () => store.remove(names)),
    list: (page) => plain("list", [page], () => store.list(page)),
    freeBytes: () => plain("freeBytes", [], () => store.freeBytes()),
  };
}

/** The bytes with a fault. Not a generator: ending it before its first step must end the bytes, too. */
function faultyBytes(bytes: AsyncIterable<Uint8Array>, fault: StreamFault): AsyncIterableIterator<Uint8Array> {
  const inner = bytes[Symbol.asyncIterator]();
  const limit = fault.bytes ?? 0;
  let [passed, rest] = [0, new Uint8Array()];
  let isOver = false;

  const end = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    isOver = true;
    await inner.return?.();
    return { done: true, value: undefined };
  };

  /** The next chunk, at most up to the limit; `null` at the end. */
  const pull = async (): Promise<Uint8Array | null> => {
    if (rest.length === 0) {
      const step = await inner.next();
      if (step.done === true) return null;
      rest = Uint8Array.from(step.value);
    }
    const chunk = passed < limit ? rest.subarray(0, limit - passed) : rest;
    rest = rest.subarray(chunk.length);
    passed += chunk.length;
    return chunk;
  };

  let isWaiting = fault.kind === "slow";
  const iterator: AsyncIterableIterator<Uint8Array> = {
    next: async () => {
      if (isOver) return { done: true, value: undefined };
      if (passed >= limit && isWaiting && fault.kind === "slow") {
        isWaiting = false;
        await fault.latch.pass();
      }
      const chunk = passed >= limit && fault.kind !== "slow" ? null : await pull();
      if (chunk !== null) return { done: false, value: chunk };
      const result = await end();
      if (fault.kind === "interruption") throw fault.error();
      return result;
    },
    return: end,
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
