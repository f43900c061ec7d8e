import type { Objects } from "./objects.ts";

/** Who asked for what runs. Everything a module does, it does with this user's rights. */
export interface Caller {
  readonly userId: string;
  /** The user's name. */
  readonly name: string;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly administrator: boolean;
  /** App names of the session. */
  readonly appNames: readonly string[];
  /** Alias of the database. */
  readonly database: string;
}

/** What every module is given. */
export interface Services {
  readonly caller: Caller;
  readonly objects: Objects;
  /** Writes a line to the server's log. Anything but texts is written as JSON. */
  log(...parts: readonly unknown[]): void;
  /** The time of the database in milliseconds since 1970. */
  now(): Promise<number>;
  /** A number from 0 to 1, without 1. Not for secrets. */
  random(): number;
  /** A random UUID. Not for secrets. */
  uuid(): string;
}
