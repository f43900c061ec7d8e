import { brand, ServiceError } from "../errors/index.ts";
import type { Attributes, JsonValue, StoredObject } from "./stored-object.ts";

/** Measures the size of a text or a number in bytes. */
export interface Measure {
  readonly text: (text: string) => number;
  readonly number: (number: number) => number;
}

/** Exact size. Reads every character of a text. */
export const exact: Measure = { text: textBytes, number: numberBytes };

/** Upper bound of the size, ten times faster than `exact`. Sufficient for values far below a limit. */
export const atMost: Measure = {
  text: (text) => 6 * text.length + 2,
  number: (number) => (number === 0 || (Math.abs(number) > 1e-6 && Math.abs(number) < 1e15) ? 25 : 330),
};

/**
 * Size in bytes of a value as JSON text in UTF-8, in the format of databases: a space after each comma and colon, and
 * all digits of a number. The JSON of an answer is never longer.
 */
export function jsonBytes(value: JsonValue, measure: Measure = exact): number {
  if (typeof value === "string") return measure.text(value);
  if (typeof value === "number") return measure.number(value);
  if (typeof value === "boolean") return value ? 4 : 5;
  if (value === null) return 4;
  const isList = Array.isArray(value);
  let [bytes, members] = [0, 0];
  // Stored values come from `JSON.parse`, so they have no inherited enumerable members.
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

/** Includes the quotation marks. Most code units take one byte, so the loop only adds the difference. */
function textBytes(text: string): number {
  let bytes = text.length + 2;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) bytes += moreBytes(unit);
    else if (unit < 0x20) bytes += shortEscapes.has(unit) ? 1 : 5;
    else if (unit === quotationMark || unit === backslash) bytes += 1;
  }
  return bytes;
}

/** Bytes of a code unit in UTF-8 beyond the first. Each surrogate accounts for two of the four bytes. */
function moreBytes(unit: number): number {
  if (unit < 0x80) return 0;
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
}

function numberBytes(value: number): number {
  const text = String(value);
  const [mantissa = "", exponent] = text.split("e");
  if (exponent === undefined) return text.length;
  const sign = value < 0 ? 1 : 0;
  const digits = mantissa.replaceAll(/[-.]/g, "").length;
  return sign + (Number(exponent) > 0 ? Number(exponent) + 1 : 1 - Number(exponent) + digits);
}

/** Maximum bytes of the attributes of an object, as JSON text in the database format; see `jsonBytes`. */
export const maximumObjectBytes = 1_048_576;

/** Throws 801 if the attributes are too large for one object. For storages that do not measure their text. */
export function acceptObjectSize(attributes: Attributes): void {
  if (jsonBytes(attributes) > maximumObjectBytes) throw objectTooLarge();
}

export function objectTooLarge(cause?: unknown): ServiceError {
  const detail = `The attributes of an object can have at most ${maximumObjectBytes} bytes.`;
  return new ServiceError(801, { detail, cause });
}

/** Maximum bytes of the objects that one transaction writes, old and new values together. Larger transactions would block others too long. */
export const maxWrittenBytes = 64 * 1024 * 1024;

/**
 * Default limit of an answer: bytes of attributes read, and bytes of JSON written. Storage loads no more than this by
 * default.
 */
export const defaultAnswerBytes = 16 * 1024 * 1024;

/** Maximum number of objects in one answer. */
const maximumObjects = 100_000;

export function acceptObjectCount(count: number): void {
  if (count > maximumObjects) throw tooManyObjects();
}

function tooManyObjects(): AnswerTooLargeError {
  return new AnswerTooLargeError(`The response would read more than ${maximumObjects} objects`);
}

/** Bytes of texts in UTF-8; an upper bound if that is at most `enough`. */
export function utf8Bytes(texts: readonly string[], enough: number): number {
  let bytes = texts.reduce((sum, { length }) => sum + length, 0);
  if (3 * bytes <= enough) return 3 * bytes;
  for (const text of texts)
    for (let index = 0; index < text.length; index += 1) bytes += moreBytes(text.charCodeAt(index));
  return bytes;
}

/** Throws `AnswerTooLargeError` if the JSON exceeds `bytes`. */
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

/** 307: the requested data exceeds the limits of one answer. */
export class AnswerTooLargeError extends ServiceError {
  constructor(reason = "The response would be too large") {
    super(307, { detail: `${reason}. Request a smaller page, less depth or fewer fields.` });
  }
}

brand(AnswerTooLargeError, "AnswerTooLargeError");

/** Objects and bytes written into an answer or a part of it. */
export interface Written {
  readonly objects: number;
  readonly bytes: number;
}

/** Counts all attributes read for an answer, and all JSON written into it, repetitions included. */
export class AnswerBudget {
  private unmeasured: StoredObject[] = [];
  private left: number;
  private objects = 0;
  bytesWritten = 0;

  /** `limit`: maximum bytes of attributes read, and maximum bytes of JSON written. */
  constructor(private readonly limit: number) {
    this.left = limit;
  }

  addRead(objects: readonly StoredObject[]): void {
    for (const object of objects) this.unmeasured.push(object);
  }

  /** Bytes that may still be read. Reads up to a sixteenth of the budget are not measured. */
  remaining(): number {
    if (this.left === this.limit && this.upperBound() <= this.limit / 16) return this.limit;
    for (const { attributes } of this.unmeasured) this.left -= jsonBytes(attributes);
    this.unmeasured = [];
    return Math.max(0, this.left);
  }

  /** Throws `AnswerTooLargeError` if the bytes or the objects exceed their limit. */
  addWritten(bytes: number, objects = 0): void {
    this.objects += objects;
    this.bytesWritten += bytes;
    if (this.objects > maximumObjects) throw tooManyObjects();
    if (this.bytesWritten > this.limit) throw new AnswerTooLargeError();
  }

  /** Resets the written counts, to write the answer again. */
  restartWriting(): void {
    this.objects = 0;
    this.bytesWritten = 0;
  }

  get written(): Written {
    return { objects: this.objects, bytes: this.bytesWritten };
  }

  private upperBound(): number {
    return this.unmeasured.reduce((sum, { attributes }) => sum + jsonBytes(attributes, atMost), 0);
  }
}
