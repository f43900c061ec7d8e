import type { Attempt, BatchRepositories, Repositories, Storage } from "@sallyport/core";
import { unwrittenIn } from "./unwritten-in.ts";

type Member = string | symbol;

/** Notes which calls of the ports are made, by names such as `sessions.open` and `storage.migrate`, and what of them is not written yet. */
export class CallRecorder {
  private readonly names = new Set<string>();
  /** What stands in the place of what, so that one thing stays one thing. */
  private readonly noted = new WeakMap<object, object>();

  private notWritten: Error | undefined;

  /** What a call came to first that is still to be written. */
  get unwritten(): Error | undefined {
    return this.notWritten;
  }

  /** Each call once, in the order in which they were made last. */
  get calls(): readonly string[] {
    return [...this.names];
  }

  /** A storage that does the same and is noted. */
  storage(storage: Storage): Storage {
    return this.noting(storage, "storage", {
      archive: () => this.noting(storage.archive, "archive"),
      repositories: () => this.repositories(storage.repositories),
      transaction: () => (work: (r: Repositories, attempt: Attempt) => Promise<unknown>) =>
        storage.transaction((r, attempt) => work(this.repositories(r), attempt)),
      together: () => (work: (r: BatchRepositories) => Promise<unknown>) =>
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
    // A proxy of what is frozen could put nothing in its place.
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
