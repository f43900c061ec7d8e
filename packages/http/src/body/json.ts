import { checkJsonLimits, type FormBody, type JsonBody, parseExactJson, parseFields } from "@sallyport/contract";
import { ServiceError, strictJsonObject } from "@sallyport/storage";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Parses JSON from UTF-8 bytes, as `parseExactJson`. Invalid JSON or UTF-8: 311, or 312 in a secure session. `validatedBody` checks the limits. */
export function parseJson(bytes: Uint8Array, notJson: 311 | 312): unknown {
  try {
    return parseExactJson(decoder.decode(bytes));
  } catch {
    throw new ServiceError(notJson);
  }
}

/** Parses a JSON object. Never throws: `undefined` for another value, a duplicate member or exceeded JSON limits. */
export function parseUniqueObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = strictJsonObject(decoder.decode(bytes));
    checkJsonLimits(value);
    return value ?? undefined;
  } catch {
    return undefined;
  }
}

const exactDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 and keeps a byte order mark. Returns `undefined` for invalid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return exactDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The JSON of a body as its schema reads it. `undefined` means no body. Throws 307 for a body that does not fit, or that exceeds
 * the limits of JSON.
 */
export function validatedBody(declared: JsonBody | undefined, body: unknown): unknown {
  if (body !== undefined) (declared?.checkLimits ?? checkJsonLimits)(body);
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  if (body !== undefined && !isObject && declared?.any !== true)
    throw new ServiceError(307, { detail: "The body must be a JSON object." });
  if (declared === undefined) return undefined;
  const chosen = isObject ? declared.choose?.(body as Record<string, unknown>) : undefined;
  const { json, order = [] } = chosen ?? declared;
  return parseFields(json, body, order);
}

/** Parses the fields of a form. Throws 307 for fields that do not fit. */
export function parseForm({ form }: FormBody, fields: unknown): unknown {
  checkJsonLimits(fields);
  return parseFields(form, fields, []);
}
