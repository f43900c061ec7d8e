import { AnswerTooLargeError } from "./answer-too-large-error.ts";

/**
 * What an answer may take unless configured: bytes of attributes that are read for it, and bytes of JSON that are written into it.
 * Storages bring no more into memory unless they are told.
 */
export const defaultAnswerBytes = 16 * 1024 * 1024;

/** Objects that one answer holds. */
const maximumObjects = 100_000;

export function acceptObjectCount(count: number): void {
  if (count > maximumObjects) throw new AnswerTooLargeError(`More than ${maximumObjects} objects would have to be read`);
}
