import { AnswerTooLargeError } from "./answer-too-large-error.ts";
import { jsonBytes } from "./json-bytes.ts";
import type { StoredObject } from "./stored-object.ts";

/** The bytes of `AnswerBudget`, unless configured; storages bring no more into memory unless they are told. */
export const defaultAnswerBytes = 16 * 1024 * 1024;

/** Objects that are written into an answer. */
const maximumObjects = 100_000;

/** What was written so far. */
export interface Written {
  readonly objects: number;
  readonly bytes: number;
}

/**
 * What one answer may take: so many bytes of attributes that are read for it, so many bytes of JSON text that are written
 * into it, and 100,000 objects. Beyond it: `AnswerTooLargeError`.
 */
export class AnswerBudget {
  private read: StoredObject[] = [];
  private bytesLeft: number;
  private objectsWritten = 0;
  private bytesWritten = 0;

  constructor(private readonly bytes: number) {
    this.bytesLeft = bytes;
  }

  /** Counts what was read. It is measured when more is to be read. */
  addRead(objects: readonly StoredObject[]): void {
    for (const object of objects) this.read.push(object);
  }

  /** Bytes of attributes that may still be read. */
  leftToRead(): number {
    for (const { attributes } of this.read) this.bytesLeft -= jsonBytes(attributes);
    this.read = [];
    return Math.max(0, this.bytesLeft);
  }

  addWritten({ objects, bytes }: Written): void {
    this.objectsWritten += objects;
    this.bytesWritten += bytes;
    this.acceptObjects(this.objectsWritten);
    if (this.bytesWritten > this.bytes) throw new AnswerTooLargeError();
  }

  get written(): Written {
    return { objects: this.objectsWritten, bytes: this.bytesWritten };
  }

  /** Refuses at once what would be refused in the end, before it takes more memory. */
  acceptObjects(count: number): void {
    if (count > maximumObjects) throw new AnswerTooLargeError(`More than ${maximumObjects} objects would have to be read`);
  }
}
