import type { AttributeDefinition, Filter } from "@sallyport/client";
import {
  attributesByName,
  chainOf,
  type ClassState,
  type Definition,
  differencesOf,
  effectiveAttributes,
} from "./model-edits.ts";

/** One request of a change of several classes. */
export interface ChangeStep {
  readonly className: string;
  /** `null` removes the class. */
  readonly definition: Definition | null;
  /** Whether the step changes the rights of groups only. */
  readonly isRightsOnly: boolean;
}

/**
 * The requests that make the classes what the edits say, in an order in which each can succeed: new classes after their
 * bases, and without links to classes that come later, which a further step adds; removed ones before what they need.
 */
export function changeSteps(states: ReadonlyMap<string, ClassState>): readonly ChangeStep[] {
  const changed = [...states.values()].filter((state) => differencesOf(state).length > 0);
  const existing = new Set([...states.values()].filter(({ stored }) => stored !== null).map(({ name }) => name));
  const steps: ChangeStep[] = [];
  const completed: ChangeStep[] = [];
  const put = (className: string, definition: Definition) => ({ className, definition, isRightsOnly: false });
  const created = changed.flatMap(({ name, stored, edited }) =>
    stored === null && edited !== null ? [{ name, edited }] : [],
  );
  for (const { name, edited } of ordered(created, ({ edited: { base } }, waiting) => !waiting.has(base ?? ""))) {
    existing.add(name);
    const attributes = edited.attributes.filter(({ target }) => target === undefined || existing.has(target));
    const isComplete = attributes.length === edited.attributes.length;
    // A title can lead through what is left out.
    steps.push(put(name, isComplete ? edited : { ...edited, title: undefined, attributes }));
    if (!isComplete) completed.push(put(name, edited));
  }
  const replaced = changed.flatMap((state): ChangeStep[] => {
    if (state.stored === null || state.edited === null) return [];
    const isRightsOnly = differencesOf(state).every(({ part }) => part === "right");
    return [{ className: state.name, definition: state.edited, isRightsOnly }];
  });
  const removed = changed.flatMap(({ name, stored, edited }) =>
    stored !== null && edited === null ? [{ name, stored }] : [],
  );
  const isFree = ({ name }: { readonly name: string }, waiting: ReadonlySet<string>) =>
    removed.every((other) => !waiting.has(other.name) || other.name === name || !needs(other.stored, name));
  const removals = ordered(removed, isFree).map(({ name }) => ({
    className: name,
    definition: null,
    isRightsOnly: false,
  }));
  return [...steps, ...completed, ...replaced, ...removals];
}

const needs = ({ base, attributes }: Definition, name: string): boolean =>
  base === name || attributes.some(({ target }) => target === name);

/** The items, each when it is ready beside those that wait. Items in a circle come last, and the server refuses them. */
function ordered<Item extends { readonly name: string }>(
  items: readonly Item[],
  isReady: (item: Item, waiting: ReadonlySet<string>) => boolean,
): readonly Item[] {
  const waiting = new Map(items.map((item) => [item.name, item]));
  const names: ReadonlySet<string> = new Set(waiting.keys());
  const order: Item[] = [];
  for (let isMoving = names.size > 0; isMoving; ) {
    const ready = [...waiting.values()].filter((item) => isReady(item, new Set(waiting.keys())));
    for (const item of ready) waiting.delete(item.name);
    order.push(...ready);
    isMoving = ready.length > 0;
  }
  return [...order, ...waiting.values()];
}

/** Objects that a change would lose or invalidate, if there are any. The server refuses the change then. */
export interface Obstacle {
  readonly className: string;
  /** Why: the class goes, or an attribute that has values, or one that must have values and has none. */
  readonly kind: "object" | "value" | "noValue";
  readonly attribute: string;
  /** What selects them. Absent: all objects of the class. */
  readonly where: Filter | undefined;
}

/** What can be in the way of the edits. */
export function obstaclesOf(states: ReadonlyMap<string, ClassState>): readonly Obstacle[] {
  return [...states.values()].flatMap((state): readonly Obstacle[] => {
    const { name: className, stored, edited } = state;
    if (stored === null) return [];
    if (edited === null) return [{ className, kind: "object", attribute: "", where: undefined }];
    const before = effectiveAttributes(states, className, "stored");
    const after = effectiveAttributes(states, className, "edited");
    const own = new Set([...attributesByName(stored).keys(), ...attributesByName(edited).keys()]);
    const concerned = [...new Set([...before.keys(), ...after.keys()])].filter(
      (name) => stored.base !== edited.base || own.has(name),
    );
    return concerned.flatMap((attribute): readonly Obstacle[] => {
      const [one, other] = [before.get(attribute), after.get(attribute)];
      const obstacle = { className, attribute };
      if (one !== undefined && losesValues(states, one, other))
        return [{ ...obstacle, kind: "value", where: { [attribute]: { $ne: null } } as Filter }];
      if (other?.mandatory !== true || one?.mandatory === true) return [];
      // Without the attribute, no object has a value.
      return [
        { ...obstacle, kind: "noValue", where: one === undefined ? undefined : ({ [attribute]: null } as Filter) },
      ];
    });
  });
}

function losesValues(
  states: ReadonlyMap<string, ClassState>,
  before: AttributeDefinition,
  after: AttributeDefinition | undefined,
): boolean {
  if (before.type !== after?.type) return true;
  if (before.target === undefined || after.target === undefined || before.target === after.target) return false;
  return !chainOf(states, before.target, "edited").includes(after.target);
}
