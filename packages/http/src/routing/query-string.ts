import { ServiceError } from "@sallyport/core";

const packed = "qb64";

const packable = /^[A-Za-z0-9_+/-]*={0,2}$/;

/**
 * Query parameters by name. All of them can come packed into one `qb64`: base64url of `k=v&k=v`. A parameter that
 * stands there twice with different values is 307, never one of them.
 */
export function queryParameters(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  if (query === "") return parameters;
  collect(query, parameters);
  const inner = parameters.get(packed);
  if (inner !== undefined) {
    parameters.delete(packed);
    collect(unpack(inner), parameters);
  }
  return parameters;
}

/** Every value of one parameter, packed ones too; of what cannot be unpacked none, which is refused when the parameters are read. */
export function valuesIn(query: string, name: string): string[] {
  if (query === "") return [];
  const given = new URLSearchParams(query);
  const inner = given.getAll(packed).flatMap((text) => (packable.test(text) ? new URLSearchParams(bytesOf(text)).getAll(name) : []));
  return [...given.getAll(name), ...inner];
}

/** The fields of an urlencoded form by name; 307 for one that stands there twice with different values. */
export function formFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  collect(text, fields);
  return fields;
}

function collect(query: string, into: Map<string, string>): void {
  for (const [name, value] of new URLSearchParams(query)) {
    const known = into.get(name);
    if (known !== undefined && known !== value) throw new ServiceError(307, { detail: "A parameter stands twice." });
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
