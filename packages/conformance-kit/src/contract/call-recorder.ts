import type { Attempt, BatchRepositories, Repositories, Storage } from "@sallyport/core";
import { unwrittenIn } from "./unwritten-in.ts";

type Member = string | symbol;

/** Records the calls of the ports, by names such as `sessions.open`, and the first `NotWritten` error. */
export class CallRecorder {
  private readonly names = new Set<string>();
  /** The proxy of each object, so that repeated access returns the same proxy. */
  private readonly noted = new WeakMap<object, object>();

  private notWritten: Error | undefined;

  /** The first `NotWritten` error of a call. */
  get unwritten(): Error | undefined {
    return this.notWritten;
  }

  /** Each called name once, ordered by its last call. */
  get calls(): readonly string[] {
    return [...this.names];
  }

  /** Wraps a storage so that its calls are recorded. */
  storage(storage: Storage): Storage {
    return this.noting(storage, "storage", {
      archive: () => this.noting(storage.archive, "archive"),
      repositories: () => this.repositories(storage.repositories),
      transaction: () => (work: (r: Repositories, attempt: Attempt) => Promise<unknown>) =>
        storage.transaction((r, attempt) => work(this.repositories(r), attempt)),
      batch: () => (work: (r: BatchRepositories) => Promise<unknown>) =>
        storage.batch((r) => work(this.repositories(r))),
    });
  }

  private repositories<R extends Repositories | BatchRepositories>(r: R): R {
    return this.inPlaceOf(r, { get: (_target, name) => this.noting(Reflect.get(r, name) as object, String(name)) });
  }

  private noting<T extends object>(
    target: T,
    owner: string,
    replaced: { readonly [name: Member]: () => unknown } = {},
  ): T {
    const memberOf = (name: Member) => replaced[name]?.() ?? (Reflect.get(target, name) as unknown);
    return this.inPlaceOf(target, {
      get: (_target, name) => {
        const member = memberOf(name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          this.note(`${owner}.${String(name)}`);
          return this.watched(() => Reflect.apply(member, target, args));
        };
      },
    });
  }

  private inPlaceOf<T extends object>(target: T, handler: ProxyHandler<T>): T {
    // The proxy target is an empty object: a proxy cannot replace members of a frozen target.
    const proxy = this.noted.get(target) ?? new Proxy({}, handler as ProxyHandler<object>);
    this.noted.set(target, proxy);
    return proxy as T;
  }

  private watched(call: () => unknown): unknown {
    try {
      const answer = call();
      if (answer instanceof Promise) answer.catch((error: unknown) => this.noteFailure(error));
      return answer;
    } catch (error) {
      this.noteFailure(error);
      throw error;
    }
  }

  private noteFailure(error: unknown): void {
    this.notWritten ??= unwrittenIn(error);
  }

  private note(name: string): void {
    this.names.delete(name);
    this.names.add(name);
  }
}
