import type { JointRepositories, Repositories, Storage } from "@sallyport/core";

type Member = string | symbol;

/** Notes which calls of the ports are made, by names such as `sessions.open` and `storage.migrate`. */
export class CallRecorder {
  private readonly names = new Set<string>();

  /** Each call once, in the order in which they were made last. */
  get calls(): readonly string[] {
    return [...this.names];
  }

  /** A storage that does the same and is noted. */
  storage(storage: Storage): Storage {
    const repositories = this.repositories(storage.repositories);
    const noted: Partial<Storage> = {
      repositories,
      transaction: (work) => storage.transaction((r) => work(this.repositories(r))),
      together: (work) => storage.together((r) => work(this.repositories(r))),
    };
    return this.noting(storage, "storage", (name) => Reflect.get(noted, name) as unknown);
  }

  private repositories<R extends Repositories | JointRepositories>(r: R): R {
    const noted = new Map<Member, unknown>();
    return new Proxy(r, {
      get: (_target, name) => {
        const repository = Reflect.get(r, name) as object;
        if (!noted.has(name)) noted.set(name, this.noting(repository, String(name)));
        return noted.get(name);
      },
    });
  }

  private noting<T extends object>(target: T, owner: string, replacement: (name: Member) => unknown = () => undefined): T {
    return new Proxy(target, {
      get: (_target, name) => {
        const original = Reflect.get(target, name) as unknown;
        const member = replacement(name) ?? original;
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          this.note(`${owner}.${String(name)}`);
          return Reflect.apply(member, target, args);
        };
      },
    });
  }

  private note(name: string): void {
    this.names.delete(name);
    this.names.add(name);
  }
}
