import type { Route } from "../routes/route.ts";

/** The routes of one path pattern, by method. */
export interface MatchedPath {
  readonly pattern: string;
  readonly methods: ReadonlyMap<string, Route>;
  readonly parameters: ReadonlyMap<string, string>;
}

interface Node {
  readonly literals: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | null;
  pattern: string;
  readonly methods: Map<string, Route>;
}

/** Finds routes by the segments of a path; literal segments win over parameters. */
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
    return node.methods.size === 0 ? null : { pattern: node.pattern, methods: node.methods, parameters };
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
    node.methods.set(route.method, route);
  }
}

function emptyNode(): Node {
  return { literals: new Map(), parameter: null, pattern: "", methods: new Map() };
}
