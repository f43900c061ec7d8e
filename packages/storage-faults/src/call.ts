import type { Repositories } from "@sallyport/core";

type Methods<R> = { [M in keyof R]: R[M] extends (...given: never[]) => Promise<unknown> ? M : never }[keyof R] &
  string;

/** The storage's own calls, and `commit`: the end of a transaction whose work was done. */
export type OwnCall =
  | "transaction"
  | "commit"
  | "together"
  | "migrate"
  | "alignIndexes"
  | "readyIndexes"
  | "health"
  | "now";

/** What can fail: a method of a repository, such as `objects.insert`, or a call of the storage itself. */
export type CallName = { [R in keyof Repositories]: `${R}.${Methods<Repositories[R]>}` }[keyof Repositories] | OwnCall;

/** One call, as a script sees it. */
export interface Call {
  readonly name: CallName;
  readonly given: readonly unknown[];
  /** Whether it is a unit of its own or belongs to one. */
  readonly within: "itself" | "transaction" | "together";
}
