import { AssertionError } from "node:assert";
import { type LogInMode, SallyportError } from "@sallyport/client";
import type { ServerCheck, Visit } from "../target/visit.ts";

/** The checks of a section that run in one mode. */
export type Journey = (mode: LogInMode) => readonly ServerCheck[];

/** A function that makes the checks of a section in a mode. */
export const inSection =
  (section: string, mode: LogInMode | null) =>
  (title: string, run: (visit: Visit) => Promise<void>): ServerCheck => ({ section, title, mode, run });

/** Expects the server to refuse a call with one of these codes. */
export async function expectRefusal(call: Promise<unknown>, ...codes: readonly number[]): Promise<void> {
  const outcome = await call.then(
    () => 0,
    (error: unknown) => {
      if (error instanceof SallyportError) return error.code;
      throw error;
    },
  );
  if (codes.includes(outcome)) return;
  throw new AssertionError({ message: `expected a refusal with ${codes.join(" or ")}, but the code is ${outcome}` });
}
