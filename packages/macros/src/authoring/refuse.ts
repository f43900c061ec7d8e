import { Refusal } from "./refusal.ts";

/** Has the request answered with a code of the catalogue. `detail` says what exactly is wrong; clients see it where debug messages are on. */
export function refuse(code: number, detail?: string): never {
  throw new Refusal(code, detail);
}
