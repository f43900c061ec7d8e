import type {
  Attempt,
  BatchRepositories,
  Kernel,
  KernelReader,
  KernelTransaction,
  Repositories,
  Storage,
} from "@sallyport/storage";
import { notImplementedIn } from "./not-implemented-in.ts";

type Member = string | symbol;

/** Records the calls of the ports, by names such as `sessions.open`, and the first `NotImplemented` error. */
export class CallRecorder {
  private readonly names = new Set<string>();
  /** The proxy of each object, so that repeated access returns the same proxy. */
  private readonly proxies = new WeakMap<object, object>();

  private firstNotImplemented: Error | undefined;

  /** The first `NotImplemented` error of a call. */
  get notImplemented(): Error | undefined {
    return this.firstNotImplemented;
  }

  /** Each called name once, ordered by its last call. */
  get calls(): readonly string[] {
    return [...this.names];
  }

  /** Wraps a storage so that its calls are recorded. */
  storage(storage: Storage): Storage {
    return this.recorded(storage, "storage", {
      archive: () => this.recorded(storage.archive, "archive"),
      repositories: () => this.repositories(storage.repositories),
      transaction: () => (work: (r: Repositories, attempt: Attempt) => Promise<unknown>) =>
        storage.transaction((r, attempt) => work(this.repositories(r), attempt)),
      batch: () => (work: (r: BatchRepositories) => Promise<unknown>) =>
        storage.batch((r) => work(this.repositories(r))),
    });
  }

  /** Wraps a kernel so that its calls are recorded. */
  kernel(kernel: Kernel): Kernel {
    return this.recorded(kernel, "kernel", {
      read: () => (work: (reader: KernelReader) => Promise<unknown>) =>
        kernel.read((reader) => work(this.recorded(reader, "reader"))),
      transaction: () => (work: (transaction: KernelTransaction) => Promise<unknown>) =>
        kernel.transaction((transaction) => work(this.recorded(transaction, "reader"))),
    });
  }

  private repositories<R extends Repositories | BatchRepositories>(r: R): R {
    return this.proxyOf(r, { get: (_target, name) => this.recorded(Reflect.get(r, name) as object, String(name)) });
  }

  private recorded<T extends object>(
    target: T,
    owner: string,
    replaced: { readonly [name: Member]: () => unknown } = {},
  ): T {
    const memberOf = (name: Member) => replaced[name]?.() ?? (Reflect.get(target, name) as unknown);
    return this.proxyOf(target, {
      get: (_target, name) => {
        const member = memberOf(name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          this.record(`${owner === "reader" && isOfTransaction(name) ? "transaction" : owner}.${String(name)}`);
          return this.recordingFailure(() => Reflect.apply(member, target, args));
        };
      },
    });
  }

  private proxyOf<T extends object>(target: T, handler: ProxyHandler<T>): T {
    // The proxy target is an empty object: a proxy cannot replace members of a frozen target.
    const proxy = this.proxies.get(target) ?? new Proxy({}, handler as ProxyHandler<object>);
    this.proxies.set(target, proxy);
    return proxy as T;
  }

  private recordingFailure(call: () => unknown): unknown {
    try {
      const answer = call();
      if (answer instanceof Promise) answer.catch((error: unknown) => this.recordFailure(error));
      return answer;
    } catch (error) {
      this.recordFailure(error);
      throw error;
    }
  }

  private recordFailure(error: unknown): void {
    this.firstNotImplemented ??= notImplementedIn(error);
  }

  private record(name: string): void {
    this.names.delete(name);
    this.names.add(name);
  }
}

/** Whether a method of a transaction is not one of its readers. */
function isOfTransaction(name: Member): boolean {
  return name === "put" || name === "delete" || name === "stamp";
}
