import { atMost, jsonBytes } from "./json-bytes.ts";
import type { StoredObject } from "./stored-object.ts";

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
