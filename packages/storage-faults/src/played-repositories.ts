import type { Call, CallName } from "./call.ts";

/** Makes a call with these arguments. */
export type Run = (given: readonly unknown[]) => Promise<unknown>;

/** What stands between those who call and the repository. */
export type Play = (call: Call, run: Run) => Promise<unknown>;

/** The repositories, with every call of a method played. */
export function playedRepositories<R extends object>(repositories: R, within: Call["within"], play: Play): R {
  return withEachMember(repositories, (repository, area) => {
    if (typeof repository !== "object" || repository === null) return repository;
    return withEachMember(repository, (method, name) => {
      if (typeof method !== "function") return method;
      const run: Run = (given) => Reflect.apply(method, repository, given) as Promise<unknown>;
      return (...given: unknown[]) => play({ name: `${area}.${name}` as CallName, given, within }, run);
    });
  });
}

/** The object as it is, but for what stands in for its members: also for those of its class, and for those that come later. */
export function withEachMember<T extends object>(object: T, standIn: (member: unknown, name: string) => unknown): T {
  return new Proxy(object, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      return typeof name === "string" ? standIn(member, name) : member;
    },
  });
}
