import type { Caller } from "./caller.ts";
import type { Objects } from "./objects.ts";

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
