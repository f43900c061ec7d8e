import { brand, ServiceError } from "../../errors/index.ts";
import type { Attributes, JsonValue, StoredObject } from "./stored-object.ts";

/** How the parts of a value are measured that have no parts. */
export interface Measure {
  readonly text: (text: string) => number;
  readonly number: (number: number) => number;
}

/** To the byte: each character of a text is looked at. */
export const exact: Measure = { text: textBytes, number: numberBytes };

/** More than it can be, for a tenth of the time: what is far from a bound need not be measured. */
export const atMost: Measure = {
  text: (text) => 6 * text.length + 2,
  number: (number) => (number === 0 || (Math.abs(number) > 1e-6 && Math.abs(number) < 1e15) ? 25 : 330),
};

/**
 * How many bytes a value takes as JSON text in UTF-8, the way databases write it: with a space behind each comma and colon, and
 * with all digits of a number. Nothing is longer the way that answers are written.
 */
export function jsonBytes(value: JsonValue, measure: Measure = exact): number {
  if (typeof value === "string") return measure.text(value);
  if (typeof value === "number") return measure.number(value);
  if (typeof value === "boolean") return value ? 4 : 5;
  if (value === null) return 4;
  const isList = Array.isArray(value);
  let [bytes, members] = [0, 0];
  // What is stored was parsed: it inherits nothing that could be enumerated.
  for (const name in value) {
    bytes += isList ? 0 : measure.text(name) + 2;
    bytes += jsonBytes((value as Readonly<Record<string, JsonValue>>)[name] ?? null, measure);
    members += 1;
  }
  return 2 + bytes + 2 * Math.max(0, members - 1);
}

const quotationMark = 0x22;
const backslash = 0x5c;
const shortEscapes: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** With its quotation marks. Nearly all units are one byte: the loop does no more than to find the others. */
function textBytes(text: string): number {
  let bytes = text.length + 2;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Each half of a pair has half of the four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
    else if (unit < 0x20) bytes += shortEscapes.has(unit) ? 1 : 5;
    else if (unit === quotationMark || unit === backslash) bytes += 1;
  }
  return bytes;
}

function numberBytes(value: number): number {
  const text = String(value);
  const [mantissa = "", exponent] = text.split("e");
  if (exponent === undefined) return text.length;
  const sign = value < 0 ? 1 : 0;
  const digits = mantissa.replaceAll(/[-.]/g, "").length;
  return sign + (Number(exponent) > 0 ? Number(exponent) + 1 : 1 - Number(exponent) + digits);
}

/** Bytes that the attributes of an object take at most, as JSON text the way a database writes it, see `jsonBytes`. */
export const maximumObjectBytes = 1_048_576;

/** Refuses attributes that are too large for one object, where storage does not measure what it stores: 801. */
export function acceptObjectSize(attributes: Attributes): void {
  if (jsonBytes(attributes) > maximumObjectBytes) throw objectTooLarge();
}

export function objectTooLarge(cause?: unknown): ServiceError {
  const detail = `The attributes of an object take at most ${maximumObjectBytes} bytes.`;
  return new ServiceError(801, { detail, cause });
}

/** Bytes of the objects that one transaction writes at most, of what they have and what they get: others wait for them meanwhile. */
export const mostWrittenBytes = 64 * 1024 * 1024;

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

brand(AnswerTooLargeError, "AnswerTooLargeError");

/** What is written into an answer, or into a part of it. */
export interface Written {
  readonly objects: number;
  readonly bytes: number;
}

/** Counts what is read for an answer, in all its steps together, and what is written into it, repetitions too. */
export class AnswerBudget {
  private unmeasured: StoredObject[] = [];
  private left: number;
  private objects = 0;
  private bytes = 0;

  /** `most`: bytes of attributes that may be read, and bytes of JSON that may be written. */
  constructor(private readonly most: number) {
    this.left = most;
  }

  addRead(objects: readonly StoredObject[]): void {
    for (const object of objects) this.unmeasured.push(object);
  }

  /** Bytes that may still be read. Less than a sixteenth of all is not measured. */
  remaining(): number {
    if (this.left === this.most && this.upperBound() <= this.most / 16) return this.most;
    for (const { attributes } of this.unmeasured) this.left -= jsonBytes(attributes);
    this.unmeasured = [];
    return Math.max(0, this.left);
  }

  /** More than so many bytes, or too many objects: `AnswerTooLargeError`. */
  addWritten({ objects, bytes }: Written): void {
    this.objects += objects;
    this.bytes += bytes;
    acceptObjectCount(this.objects);
    if (this.bytes > this.most) throw new AnswerTooLargeError();
  }

  /** The answer is written again, from its beginning. */
  restartWriting(): void {
    this.objects = 0;
    this.bytes = 0;
  }

  get written(): Written {
    return { objects: this.objects, bytes: this.bytes };
  }

  get bytesWritten(): number {
    return this.bytes;
  }

  private upperBound(): number {
    return this.unmeasured.reduce((sum, { attributes }) => sum + jsonBytes(attributes, atMost), 0);
  }
}
