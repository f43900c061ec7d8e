import type { z } from "zod";
import { describedProperties } from "../openapi/operation-schemas.ts";
import { parameterNames } from "./query-string.ts";

/** Maximum number of parameters to name. */
const maxNamed = 3;

/**
 * Names the unknown query parameters that look like known ones, or like a member of one: the server ignores them, which a
 * developer would not notice. `undefined` if there are none.
 */
export function unknownParameters(schema: z.ZodObject | undefined, queryString: string): string | undefined {
  if (schema === undefined || queryString === "") return undefined;
  const places = placesOf(schema);
  const unknown = new Set(parameterNames(queryString).filter((name) => !Object.hasOwn(schema.shape, name)));
  const hints = [...unknown].flatMap((name) => {
    const place = places.find(([parameter]) => looksLike(plain(name), plain(parameter)))?.[1];
    return place === undefined ? [] : [`The query parameter ${JSON.stringify(name)} is unknown. Use ${place}.`];
  });
  return hints.length === 0 ? undefined : hints.slice(0, maxNamed).join(" ");
}

type Place = readonly [name: string, advice: string];

const cache = new WeakMap<z.ZodObject, readonly Place[]>();

/** The parameters, then the members of those that hold JSON. */
function placesOf(schema: z.ZodObject): readonly Place[] {
  const places = cache.get(schema) ?? [
    ...Object.keys(schema.shape).map((name): Place => [name, `\`${name}\``]),
    ...Object.entries(describedProperties(schema)).flatMap(([parameter, { properties }]) =>
      Object.keys(properties ?? {}).map((name): Place => [name, `the member \`${name}\` of \`${parameter}\``]),
    ),
  ];
  cache.set(schema, places);
  return places;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Whether two names are equal but for one letter that is missing, added or another one. */
function looksLike(one: string, other: string): boolean {
  if (one === other) return true;
  if (Math.min(one.length, other.length) < 3 || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return Math.max(one.length, other.length) - start - end <= 1;
}
