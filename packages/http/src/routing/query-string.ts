import { parseFields } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import { decodeUtf8 } from "../body/json.ts";
import type { Route } from "../route.ts";

const packed = "qb64";

const packable = /^[A-Za-z0-9_+/ -]*={0,2}$/;

/**
 * Parses the named query parameters and ignores others. They can be packed into one `qb64`: base64 or base64url of `k=v&k=v`.
 * Conflicting values, and bytes anywhere that are not UTF-8: 307.
 */
export function queryParameters(query: string, names: Iterable<string>): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  if (query === "") return parameters;
  const allowed = new Set([...names, packed]);
  collect(query, parameters, allowed);
  const inner = parameters.get(packed);
  if (inner !== undefined) {
    parameters.delete(packed);
    allowed.delete(packed);
    collect(unpack(inner), parameters, allowed);
  }
  return parameters;
}

/** All values of a parameter, including packed ones. An invalid `qb64` yields none; parsing rejects it later. */
export function valuesIn(query: string, name: string): string[] {
  if (query === "") return [];
  return [new URLSearchParams(query), ...packedParameters(query)].flatMap((parameters) => parameters.getAll(name));
}

function packedParameters(query: string): URLSearchParams[] {
  return new URLSearchParams(query).getAll(packed).map((text) => new URLSearchParams(unpacked(text) ?? ""));
}

/** Whether a query string has other parameters than those of the schema, or packed ones. */
export function hasOtherParameters({ shape }: NonNullable<Route["query"]>, query: string): boolean {
  for (const name of new URLSearchParams(query).keys()) if (!Object.hasOwn(shape, name)) return true;
  return false;
}

/** The names of all parameters, including packed ones. */
export function parameterNames(query: string): string[] {
  const names = [...new URLSearchParams(query).keys()].filter((name) => name !== packed);
  return [...names, ...packedParameters(query).flatMap((inner) => [...inner.keys()])];
}

/** Fields of an urlencoded form by name. Conflicting values, and bytes that are not UTF-8: 307. */
export function formFields(form: Uint8Array): ReadonlyMap<string, string> {
  const text = decodeUtf8(form);
  if (text === undefined) throw notUtf8();
  const fields = new Map<string, string>();
  collect(text, fields);
  return fields;
}

/** `names`: the parameters to collect; all by default. */
function collect(query: string, into: Map<string, string>, names?: ReadonlySet<string>): void {
  // `URLSearchParams` would replace bytes that are not UTF-8.
  if (beyondAscii.test(query)) for (const [bytes] of query.matchAll(escapedBytes)) requireUtf8(bytes);
  for (const [name, value] of new URLSearchParams(query)) {
    if (names?.has(name) === false) continue;
    const before = into.get(name);
    if (before !== undefined && before !== value)
      throw new ServiceError(307, { detail: "A parameter is given twice." });
    into.set(name, value);
  }
}

const beyondAscii = /%[89a-f]/i;

const escapedBytes = /(?:%[0-9a-f]{2})+/gi;

function requireUtf8(bytes: string): void {
  try {
    decodeURIComponent(bytes);
  } catch {
    throw notUtf8();
  }
}

function notUtf8(): ServiceError {
  return new ServiceError(307, { detail: "The query string or the form has bytes that are not UTF-8." });
}

function unpack(text: string): string {
  const inner = unpacked(text);
  if (inner === undefined) throw new ServiceError(307, { detail: "at /qb64" });
  return inner;
}

/** `undefined` for a text that is not base64 or base64url of UTF-8. A blank is a `+` that the client has not escaped. */
function unpacked(text: string): string | undefined {
  return packable.test(text) ? decodeUtf8(Buffer.from(text.replaceAll(" ", "+"), "base64url")) : undefined;
}

/** Parses a query string by the schema of the route; `undefined` without a schema. */
export function parseQuery(schema: Route["query"], queryString: string): unknown {
  const names = schema === undefined ? [] : Object.keys(schema.shape);
  const parameters = queryParameters(queryString, names);
  return schema === undefined ? undefined : parseFields(schema, Object.fromEntries(parameters), []);
}
