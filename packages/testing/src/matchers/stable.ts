import { envelopeOf, type ReceivedResponse } from "./received-response.ts";
import { isSecret, maskOf } from "./secrets.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const time = /^(?:\d{8}T\d{6}[+-]\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))$/;

/** Members whose values differ in each run. */
const ids = new Set(["~ObjectID", "objectId", "userId"]);
const positions = new Set(["uploadId", "~Cursor", "syncVersion"]);

/** Whether a text differs in each run: a UUID or a time. */
export const isUnstable = (text: string): boolean => uuid.test(text) || time.test(text);

/** A response without the parts that differ in each run. */
export interface StableResponse {
  readonly status: number;
  readonly body: unknown;
}

/**
 * The status and body of a response for a snapshot: ids, UUIDs, times and credentials are replaced. Equal ids get equal
 * names, such as `<id 1>`, so that the snapshot shows which objects are the same. Dates without a time stay.
 */
export function stable(response: ReceivedResponse): StableResponse {
  const names = new Map<string, string>();
  const nameOf = (kind: string, value: string): string => {
    const key = `${kind} ${value}`;
    const count = [...names.keys()].filter((each) => each.startsWith(`${kind} `)).length;
    const name = names.get(key) ?? `<${kind} ${count + 1}>`;
    names.set(key, name);
    return name;
  };
  const replaced = (value: unknown, member: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => replaced(each, member));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, name)]));
    if (typeof value !== "string") return value;
    if (isSecret(member) || positions.has(member)) return maskOf(member);
    if (ids.has(member)) return nameOf("id", value);
    if (uuid.test(value)) return nameOf("uuid", value.toLowerCase());
    return time.test(value) ? "<time>" : value;
  };
  return { status: response.status, body: replaced(envelopeOf(response) ?? response.body ?? response.text, "") };
}
