import { ServiceError } from "../errors/service-error.ts";
import { atMost, exact, jsonBytes } from "./json-bytes.ts";
import type { JsonValue, StoredObject } from "./stored-object.ts";

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

/** What was asked for cannot be brought into memory, or written, within the bounds of one answer: 307. */
export class AnswerTooLargeError extends ServiceError {
  constructor(reason = "The answer would be too large") {
    super(307, { detail: `${reason}: ask for fewer objects on a page, for less depth, or for fewer fields.` });
  }
}

/** What is read for one answer may take so many bytes of attributes, in all its steps together. */
export class ReadBudget {
  private read: StoredObject[] = [];
  private left: number;

  constructor(private readonly bytes: number) {
    this.left = bytes;
  }

  add(objects: readonly StoredObject[]): void {
    for (const object of objects) this.read.push(object);
  }

  /** Bytes that more may take. Less than a sixteenth of all is not measured for it. */
  remaining(): number {
    if (this.left === this.bytes && this.most() <= this.bytes / 16) return this.bytes;
    for (const { attributes } of this.read) this.left -= jsonBytes(attributes);
    this.read = [];
    return Math.max(0, this.left);
  }

  private most(): number {
    return this.read.reduce((sum, { attributes }) => sum + jsonBytes(attributes, atMost), 0);
  }
}

/** What is written into an answer, or into a part of it. */
export interface Written {
  readonly objects: number;
  readonly bytes: number;
}

/** Counts what is written into an answer, repetitions too. More than so many bytes, or too many objects: `AnswerTooLargeError`. */
export class WriteBudget {
  private objects = 0;
  private bytes = 0;

  constructor(private readonly most: number) {}

  add({ objects, bytes }: Written): void {
    this.objects += objects;
    this.bytes += bytes;
    acceptObjectCount(this.objects);
    if (this.bytes > this.most) throw new AnswerTooLargeError();
  }

  get written(): Written {
    return { objects: this.objects, bytes: this.bytes };
  }

  get bytesWritten(): number {
    return this.bytes;
  }
}
