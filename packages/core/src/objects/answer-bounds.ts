import { AnswerTooLargeError } from "./answer-too-large-error.ts";
import { atMost, exact, jsonBytes } from "./json-bytes.ts";
import type { JsonValue } from "./stored-object.ts";

/**
 * What an answer may take unless configured: bytes of attributes that are read for it, and bytes of JSON that are written into it.
 * Storages bring no more into memory unless they are told.
 */
export const defaultAnswerBytes = 16 * 1024 * 1024;

/** Objects that one answer holds. */
const maximumObjects = 100_000;

export function acceptObjectCount(count: number): void {
  if (count > maximumObjects)
    throw new AnswerTooLargeError(`More than ${maximumObjects} objects would have to be read`);
}

/** Refuses JSON that takes more than so many bytes. */
export function acceptAnswerBytes(json: unknown, bytes: number): void {
  if (jsonBytes(json as JsonValue, atMost) <= bytes) return;
  let left = bytes;
  const take = (value: unknown): void => {
    if (typeof value === "string") left -= value.length > left ? value.length : exact.text(value);
    else if (typeof value !== "object" || value === null) left -= typeof value === "number" ? exact.number(value) : 5;
    else
      for (const [name, member] of Object.entries(value)) {
        left -= (Array.isArray(value) ? 0 : exact.text(name) + 1) + 1;
        take(member);
      }
    if (left < 0) throw new AnswerTooLargeError();
  };
  take(json);
}
