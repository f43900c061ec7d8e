import type { Route } from "../route.ts";

/** The routes of one path pattern, by method. */
export interface MatchedPath {
  readonly pattern: string;
  /** Whether its routes are administration routes. */
  readonly administration: boolean;
  readonly methods: ReadonlyMap<string, Route>;
  readonly parameters: ReadonlyMap<string, string>;
}

interface Node {
  readonly literals: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | null;
  pattern: string;
  administration: boolean;
  readonly methods: Map<string, Route>;
}

/** Matches path segments against the routes. Literal segments take precedence over parameters. */
export class RouteMatcher {
  private readonly root = emptyNode();

  constructor(routes: readonly Route[]) {
    for (const route of routes) this.add(route);
  }

  match(segments: readonly string[]): MatchedPath | null {
    const parameters = new Map<string, string>();
    let node = this.root;
    for (const segment of segments) {
      const literal = node.literals.get(segment);
      if (literal !== undefined) {
        node = literal;
      } else if (node.parameter !== null) {
        parameters.set(node.parameter.name, segment);
        node = node.parameter.node;
      } else {
        return null;
      }
    }
    const { pattern, administration, methods } = node;
    return methods.size === 0 ? null : { pattern, administration, methods, parameters };
  }

  private add(route: Route): void {
    let node = this.root;
    for (const segment of route.path.split("/").slice(1)) {
      if (segment.startsWith("{")) {
        node.parameter ??= { name: segment.slice(1, -1), node: emptyNode() };
        node = node.parameter.node;
      } else {
        const next = node.literals.get(segment) ?? emptyNode();
        node.literals.set(segment, next);
        node = next;
      }
    }
    node.pattern = route.path;
    node.administration = route.administration;
    node.methods.set(route.method, route);
  }
}

function emptyNode(): Node {
  return { literals: new Map(), parameter: null, pattern: "", administration: false, methods: new Map() };
}

const unusual = /[%;\\]|\/\/|\/\.{1,2}(?:\/|$)|\/$/;

/**
 * Decodes path segments. Repeated and trailing slashes collapse. `null` for ambiguous paths: encoded slashes, `;`,
 * backslashes, dot segments, invalid escapes, control characters.
 */
export function pathSegments(path: string): string[] | null {
  if (!unusual.test(path)) return path.split("/").slice(1);
  if (/[;\\]/.test(path)) return null;
  const segments: string[] = [];
  for (const raw of path.split("/")) {
    if (raw === "") continue;
    const segment = decode(raw);
    if (segment === null || segment === "." || segment === ".." || forbidden.test(segment)) return null;
    segments.push(segment);
  }
  return segments;
}

/** Removes scheme and authority from the absolute form, which proxies may send. */
export function originForm(url: string): string {
  return url.startsWith("/") ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, "");
}

/** The segments below the base path; `null` if the path is not below it. */
export function withoutBase(segments: string[] | null, basePath: string): string[] | null {
  if (segments === null || basePath === "") return segments;
  const base = basePath.split("/").slice(1);
  return base.every((part, index) => segments[index] === part) ? segments.slice(base.length) : null;
}

function decode(raw: string): string | null {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return null;
  }
}

// oxlint-disable-next-line no-control-regex -- control characters in a path are refused, so the pattern must name them.
const forbidden = /[\u0000-\u001F\u007F/\\;]/;
