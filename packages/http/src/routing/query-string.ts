import { ServiceError } from "@sallyport/core";

const packed = "qb64";

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

function collect(query: string, into: Map<string, string>): void {
  for (const [name, value] of new URLSearchParams(query)) {
    const known = into.get(name);
    if (known !== undefined && known !== value) throw new ServiceError(307, { detail: "A query parameter stands twice." });
    into.set(name, value);
  }
}

function unpack(text: string): string {
  if (!/^[A-Za-z0-9_+/-]*={0,2}$/.test(text)) throw new ServiceError(307, { detail: "at /qb64" });
  return Buffer.from(text, "base64url").toString("utf8");
}
