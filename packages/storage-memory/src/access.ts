import type { State } from "./state.ts";

/** Work on the state at one moment; it never waits, so nothing comes in between. */
export type Work<T> = (state: State, now: number) => T;

/** How repositories reach the state: outside of transactions or inside of one. */
export interface Access {
  /** For work that changes nothing. */
  read<T>(work: Work<T>): Promise<T>;

  /** For work that changes something: all of it is kept, or nothing if it throws. */
  write<T>(work: Work<T>): Promise<T>;
}
