import type { ClassStructure } from "@sallyport/client";
import { columnsOf, type ValueColumn } from "./columns.ts";
import type { Operator } from "./filter/filter-tree.ts";

/** References in a path, at most. */
export const maxReferences = 4;

/** A step of a path: what it names, and the class that it belongs to. */
export interface PathStep {
  readonly name: string;
  readonly structure: ClassStructure;
  /** `undefined` for a name that the class does not have. */
  readonly column: ValueColumn | undefined;
  /** Class that a reference leads to, if the person can read it. */
  readonly target: ClassStructure | undefined;
}

/** The steps of a path through references. They end where a class cannot be read. */
export function stepsOf(path: string, structure: ClassStructure, all: readonly ClassStructure[]): readonly PathStep[] {
  const steps: PathStep[] = [];
  let current: ClassStructure | undefined = structure;
  for (const name of path.split(".")) {
    if (current === undefined) break;
    const column = columnsOf(current, all).find((candidate) => candidate.name === name);
    const target = targetOf(current, name, all);
    steps.push({ name, structure: current, column, target });
    current = target;
  }
  return steps;
}

/** The class that an attribute leads to. */
export function targetOf(
  { attributes }: ClassStructure,
  name: string,
  all: readonly ClassStructure[],
): ClassStructure | undefined {
  const attribute = attributes.find((candidate) => candidate.name === name);
  const target = attribute?.type === "file" ? "File" : attribute?.target;
  return all.find((candidate) => candidate.name === target);
}

const comparisons: readonly Operator[] = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists"];
const equalities: readonly Operator[] = ["$eq", "$ne", "$in", "$nin", "$exists"];

const operatorsByType: Readonly<Record<ValueColumn["type"], readonly Operator[]>> = {
  string: ["$contains", "$eq", "$ne", "$like", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists"],
  number: comparisons,
  boolean: ["$eq", "$ne", "$exists"],
  date: comparisons,
  json: equalities,
  reference: equalities,
  file: equalities,
  collection: ["$contains", "$exists"],
  id: comparisons,
  class: equalities,
  title: [],
};

export const operatorsFor = (column: ValueColumn | undefined): readonly Operator[] =>
  operatorsByType[column?.type ?? "string"];
