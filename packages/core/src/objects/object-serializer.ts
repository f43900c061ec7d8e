import type { ModelClass } from "../model/model.ts";
import { AnswerBudget, type Written } from "./answer-budget.ts";
import { jsonBytes } from "./json-bytes.ts";
import { idsOf } from "./links-of.ts";
import type { ObjectId } from "./object-id.ts";
import type { ObjectOutline } from "./object-outline.ts";
import type { ObjectPlan, PlannedLink } from "./serialization/object-plan.ts";
import type { SerializationSource } from "./serialization-source.ts";
import type { SerializedCollection, SerializedObject } from "./serialized-object.ts";
import type { JsonValue, StoredObject } from "./stored-object.ts";

type Output = Record<string, JsonValue | SerializedObject | SerializedCollection>;

/** What is written of an object below others, and what each repetition takes. */
interface WrittenTarget {
  readonly output: SerializedObject;
  readonly cost: Written;
}

/** Bytes of the names and punctuation around what differs. */
const around = { id: 18, metaFields: 72, attribute: 6, collection: 80 } as const;

/** The objects of one step away from the roots, by the plans under which they are written. */
type Step = readonly (readonly [ObjectPlan, readonly StoredObject[]])[];

/**
 * Turns stored objects into what clients see, as the plan says. Each step away from the roots is loaded in one batch for
 * all objects together; where only a page of a collection is written, its members are looked up in one batch before. What
 * the caller may not see is `null` as a reference and missing in a collection. What is read and what is written is bounded, see
 * `AnswerBudget`; of an object that is read whole, only what is written counts as written.
 */
export class ObjectSerializer {
  private readonly loaded = new Map<ObjectId, StoredObject>();
  /** Of targets of which the meta-fields are written, or not even these: most members of collections of which a page is. */
  private readonly outlines = new Map<ObjectId, ObjectOutline>();
  /** By plan: an object that many point to is written once, and counts each time. */
  private readonly targets = new Map<ObjectPlan, Map<ObjectId, WrittenTarget>>();
  private readonly budget: AnswerBudget;

  constructor(
    private readonly source: SerializationSource,
    private readonly plan: ObjectPlan,
  ) {
    this.budget = new AnswerBudget(source.answerBytes);
  }

  /** Reads what it needs, but for visible objects that were read already. */
  async run(roots: readonly StoredObject[], known: readonly StoredObject[] = []): Promise<SerializedObject[]> {
    this.keep(known);
    this.keep(roots);
    let step: Step = this.plan.attributes && roots.length > 0 ? [[this.plan, roots]] : [];
    while (step.length > 0) step = await this.loadTargets(step);
    return roots.map((root) => this.write(root, this.plan));
  }

  /** Loads everything that is written of what the objects point to, and returns that of which attributes are written. */
  private async loadTargets(step: Step): Promise<Step> {
    const wanted = new Map<ObjectPlan, Set<ObjectId>>();
    const paged: [StoredObject, PlannedLink][] = [];
    for (const [plan, objects] of step) {
      for (const object of objects) {
        for (const link of plan.of(object.className)?.links ?? []) {
          if (link.page === null) this.want(wanted, link, targetsOf(object, link));
          else paged.push([object, link]);
        }
      }
    }
    if (paged.length > 0) await this.lookUp(paged);
    for (const [object, link] of paged) this.want(wanted, link, this.shownOf(object, link).ids);
    if (wanted.size === 0) return [];
    await this.load(wanted);
    return [...wanted]
      .filter(([plan]) => plan.attributes)
      .map(([plan, ids]) => [plan, [...ids].flatMap((id) => this.loaded.get(id) ?? [])]);
  }

  /** Finds out which members of collections the caller may see. */
  private async lookUp(collections: readonly (readonly [StoredObject, PlannedLink])[]): Promise<void> {
    const members = new Set<ObjectId>();
    for (const [object, link] of collections) this.addAll(members, targetsOf(object, link));
    await this.outline([...members]);
  }

  private async load(wanted: ReadonlyMap<ObjectPlan, ReadonlySet<ObjectId>>): Promise<void> {
    const ids = new Set([...wanted.values()].flatMap((each) => [...each]));
    this.budget.acceptObjects(ids.size);
    const whole = new Set([...wanted].flatMap(([plan, each]) => (plan.attributes ? [...each] : [])));
    const missing = [...whole].filter((id) => !this.loaded.has(id));
    if (missing.length > 0) this.keep(await this.source.objects.get(missing, this.source.visibility, this.budget.leftToRead()));
    await this.outline([...ids].filter((id) => !whole.has(id)));
  }

  private async outline(ids: readonly ObjectId[]): Promise<void> {
    const unknown = ids.filter((id) => !this.isSeen(id));
    if (unknown.length === 0) return;
    for (const outline of await this.source.objects.outlines(unknown, this.source.visibility)) this.outlines.set(outline.id, outline);
  }

  private isSeen(id: ObjectId): boolean {
    return this.loaded.has(id) || this.outlines.has(id);
  }

  private keep(objects: readonly StoredObject[]): void {
    for (const object of objects) this.loaded.set(object.id, object);
    this.budget.addRead(objects);
  }

  private want(wanted: Map<ObjectPlan, Set<ObjectId>>, { target }: PlannedLink, ids: readonly ObjectId[]): void {
    const all = wanted.get(target) ?? new Set();
    wanted.set(target, all);
    this.addAll(all, ids);
  }

  private addAll(all: Set<ObjectId>, ids: readonly ObjectId[]): void {
    for (const id of ids) all.add(id);
    this.budget.acceptObjects(all.size);
  }

  private write(object: StoredObject | ObjectOutline, plan: ObjectPlan): SerializedObject {
    this.count(around.id + object.id.length, 1);
    if (!plan.metaFields) return { "~ObjectID": object.id };
    this.count(around.metaFields + object.className.length);
    const ofClass = plan.of(object.className);
    if (ofClass !== undefined && ofClass.plain !== null && "attributes" in object) return this.writePlain(object, ofClass.plain);
    const output: Output & { "~ObjectID": string } = {
      "~ClassName": object.className,
      "~ObjectID": object.id,
      "~StoreTime": this.source.storeTime.format(object.storedAt),
    };
    if (ofClass === undefined || !("attributes" in object)) return output;
    for (const { name, link } of ofClass.attributes) {
      if (!Object.hasOwn(object.attributes, name)) continue;
      output[name] = link === null ? this.writeValue(name, object.attributes[name] ?? null) : this.writeLink(object, link);
    }
    return output;
  }

  /**
   * An object without links, in one literal with one spread: the engine copies that, and turns it into JSON, in half the
   * time of what is put together name by name.
   */
  private writePlain({ className, id, storedAt, attributes }: StoredObject, modelClass: ModelClass): SerializedObject {
    this.count(jsonBytes(attributes));
    const output: Output & { "~ObjectID": string } = {
      "~ClassName": className,
      "~ObjectID": id,
      "~StoreTime": this.source.storeTime.format(storedAt),
      ...attributes,
    };
    // What is stored under a name that the class no longer has is not shown.
    for (const name in attributes) if (!modelClass.attributes.has(name)) delete output[name];
    return output;
  }

  private writeValue(name: string, value: JsonValue): JsonValue {
    this.count(around.attribute + name.length + jsonBytes(value));
    return value;
  }

  private writeLink(object: StoredObject, link: PlannedLink): SerializedObject | SerializedCollection | null {
    const { ids, count } = this.shownOf(object, link);
    const targets = ids.flatMap((id) => this.loaded.get(id) ?? (link.target.attributes ? [] : (this.outlines.get(id) ?? [])));
    this.count(around.attribute + link.name.length);
    if (!link.isCollection) return targets[0] === undefined ? null : this.writeTarget(targets[0], link.target);
    this.count(around.collection);
    const elements = targets.map((element) => this.writeTarget(element, link.target));
    return { "~Count": count ?? elements.length, "~UnfilteredCount": count ?? elements.length, "~Elements": elements };
  }

  private writeTarget(object: StoredObject | ObjectOutline, plan: ObjectPlan): SerializedObject {
    const ofPlan = this.targets.get(plan) ?? new Map<ObjectId, WrittenTarget>();
    this.targets.set(plan, ofPlan);
    const known = ofPlan.get(object.id);
    if (known !== undefined) {
      this.budget.addWritten(known.cost);
      return known.output;
    }
    const before = this.budget.written;
    const output = this.write(object, plan);
    const after = this.budget.written;
    ofPlan.set(object.id, { output, cost: { objects: after.objects - before.objects, bytes: after.bytes - before.bytes } });
    return output;
  }

  private count(bytes: number, objects = 0): void {
    this.budget.addWritten({ objects, bytes });
  }

  /** The targets that are written; of a paged collection also how many the caller may see. */
  private shownOf(object: StoredObject, link: PlannedLink): { readonly ids: readonly ObjectId[]; readonly count?: number } {
    const targets = targetsOf(object, link);
    if (link.page === null) return { ids: targets };
    const members = targets.filter((id) => this.isSeen(id));
    const { offset, limit } = link.page;
    return { ids: members.slice(offset, offset + limit), count: members.length };
  }
}

function targetsOf({ attributes }: StoredObject, { name }: PlannedLink): ObjectId[] {
  return idsOf(attributes, name);
}
