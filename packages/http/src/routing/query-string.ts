import { parseFields } from "@sallyport/contract";
import { ServiceError } from "@sallyport/core";
import type { Route } from "../routes/route.ts";

const packed = "qb64";

const packable = /^[A-Za-z0-9_+/-]*={0,2}$/;

/**
 * Parses the named query parameters and ignores others. They can be packed into one `qb64`: base64url of `k=v&k=v`.
 * Conflicting values: 307.
 */
export function queryParameters(query: string, names: Iterable<string>): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  if (query === "") return parameters;
  const known = new Set([...names, packed]);
  collect(query, parameters, known);
  const inner = parameters.get(packed);
  if (inner !== undefined) {
    parameters.delete(packed);
    known.delete(packed);
    collect(unpack(inner), parameters, known);
  }
  return parameters;
}

/** All values of a parameter, including packed ones. An invalid `qb64` yields none; parsing rejects it later. */
export function valuesIn(query: string, name: string): string[] {
  if (query === "") return [];
  const given = new URLSearchParams(query);
  const inner = given
    .getAll(packed)
    .flatMap((text) => (packable.test(text) ? new URLSearchParams(bytesOf(text)).getAll(name) : []));
  return [...given.getAll(name), ...inner];
}

/** Fields of an urlencoded form by name. Conflicting values: 307. */
export function formFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  collect(text, fields);
  return fields;
}

/** `names`: the parameters to collect; all by default. */
function collect(query: string, into: Map<string, string>, names?: ReadonlySet<string>): void {
  for (const [name, value] of new URLSearchParams(query)) {
    if (names?.has(name) === false) continue;
    const known = into.get(name);
    if (known !== undefined && known !== value) throw new ServiceError(307, { detail: "A parameter is given twice." });
    into.set(name, value);
  }
}

function unpack(text: string): string {
  if (!packable.test(text)) throw new ServiceError(307, { detail: "at /qb64" });
  return bytesOf(text);
}

function bytesOf(text: string): string {
  return Buffer.from(text, "base64url").toString("utf8");
}

/** Parses a query string by the schema of the route; `undefined` without a schema. */
export function parseQuery(schema: Route["query"], queryString: string): unknown {
  return schema === undefined
    ? undefined
    : parseFields(schema, Object.fromEntries(queryParameters(queryString, Object.keys(schema.shape))), []);
}
