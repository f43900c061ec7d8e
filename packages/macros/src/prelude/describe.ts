import { Refusal } from "../authoring/refusal.ts";
import { isSafeInteger, slice } from "./primordials.ts";
import type { Failure } from "./wire.ts";

const LONGEST = { message: 2_000, trace: 4_000 };

/** A member's text. What a hostile object does when it is asked runs in the sandbox, under its limits. */
function textOf(read: () => unknown, longest: number): string | undefined {
  try {
    const text = read();
    return typeof text === "string" ? (text.length > longest ? `${slice(text, 0, longest)}…` : text) : undefined;
  } catch {
    return undefined;
  }
}

function messageOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null)
    return textOf(() => `${thrown as string}`, LONGEST.message) ?? "threw a symbol";
  const { name, message } = thrown as { name?: unknown; message?: unknown };
  const title = textOf(() => name, 100);
  const text = textOf(() => message, LONGEST.message);
  if (text === undefined) return "threw something that is no error";
  return title === undefined || title === "" || title === "Error" ? text : `${title}: ${text}`;
}

/** What a module threw, in words. */
export function describe(thrown: unknown): Failure {
  const code = Refusal.codeOf(thrown);
  const trace = textOf(() => (thrown as { stack?: unknown }).stack, LONGEST.trace);
  try {
    if (code !== undefined && isSafeInteger(code)) {
      return { kind: "refused", code, message: textOf(() => (thrown as Error).message, LONGEST.message) ?? "" };
    }
    return { kind: "threw", message: messageOf(thrown), ...(trace === undefined ? {} : { trace }) };
  } catch {
    return { kind: "threw", message: "threw something that cannot be described" };
  }
}
