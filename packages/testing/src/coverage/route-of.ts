import { administrationRoutes, contractRoutes } from "@sallyport/server/testing";

interface Pattern {
  readonly method: string;
  readonly path: string;
  readonly segments: readonly string[];
}

let patterns: readonly Pattern[] | undefined;

/** The pattern of the route that a path matches, such as `/v1/object/{id}`; `null` if there is none. */
export function routeOf(method: string, path: string): string | null {
  patterns ??= [...contractRoutes(), ...administrationRoutes()]
    .map((route) => ({ method: route.method, path: route.path, segments: route.path.split("/") }))
    // A literal segment precedes a parameter.
    .toSorted((one, other) => parametersOf(one) - parametersOf(other));
  const segments = (path.split(/[?#]/, 1)[0] ?? "").split("/");
  const found = patterns.find(
    (each) =>
      each.method === method &&
      each.segments.length === segments.length &&
      each.segments.every((part, index) => part.startsWith("{") || part === segments[index]),
  );
  return found?.path ?? null;
}

const parametersOf = ({ segments }: Pattern): number => segments.filter((part) => part.startsWith("{")).length;
