import { Graph, layout } from "@dagrejs/dagre";
import type { ClassState } from "./model-edits.ts";

/** Attributes that a class shows in the diagram. */
const shownAttributes = 8;

const width = 210;
const titleHeight = 40;
const lineHeight = 18;

/** A class in the diagram. Place and size are in pixels, from the upper left corner. */
export interface DiagramClass {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Own attributes that show. */
  readonly attributes: readonly { readonly name: string; readonly type: string }[];
  /** Number of the others. */
  readonly hidden: number;
}

/** From a class to its base, or by an attribute to another class. */
export interface DiagramLine {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** `null` for a base. */
  readonly attribute: string | null;
}

export interface Diagram {
  readonly classes: readonly DiagramClass[];
  readonly lines: readonly DiagramLine[];
}

/** Arranges the classes: bases above their subclasses, and classes above those that they reference. */
export function diagramOf(states: ReadonlyMap<string, ClassState>): Diagram {
  const existing = [...states.values()].flatMap(({ name, edited }) => (edited === null ? [] : [{ name, ...edited }]));
  const names = new Set(existing.map(({ name }) => name));
  const lines = existing
    .flatMap(({ name, base, attributes }): readonly DiagramLine[] => [
      ...(base === null ? [] : [{ id: `${name}:`, from: name, to: base, attribute: null }]),
      ...attributes.flatMap(({ name: attribute, target }) =>
        target === undefined ? [] : [{ id: `${name}:${attribute}`, from: name, to: target, attribute }],
      ),
    ])
    .filter(({ to }) => names.has(to));
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 48, ranksep: 72 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name, attributes } of existing) {
    const rows = Math.min(attributes.length, shownAttributes + 1);
    graph.setNode(name, { width, height: titleHeight + rows * lineHeight + (rows > 0 ? 8 : 0) });
  }
  for (const { id, from, to, attribute } of lines) {
    if (attribute === null) graph.setEdge(to, from, {}, id);
    else graph.setEdge(from, to, {}, id);
  }
  layout(graph);
  const classes = existing.map(({ name, attributes }) => {
    // The layout has the middle of a class.
    const { x = 0, y = 0, height = titleHeight } = graph.node(name);
    return {
      name,
      x: x - width / 2,
      y: y - height / 2,
      width,
      height,
      attributes: attributes.slice(0, shownAttributes).map(({ name: attribute, type }) => ({ name: attribute, type })),
      hidden: Math.max(0, attributes.length - shownAttributes),
    };
  });
  return { classes, lines };
}
