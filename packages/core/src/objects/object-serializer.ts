import { ServiceError } from "../errors/service-error.ts";
import type { ModelClass } from "../model/model.ts";
import type { Visibility } from "../rights/visibility.ts";
import { idsOf } from "./links-of.ts";
import type { ObjectId } from "./object-id.ts";
import type { ObjectRepository } from "./object-repository.ts";
import type { ObjectPlan, PlannedLink } from "./serialization/object-plan.ts";
import type { SerializedCollection, SerializedObject } from "./serialized-object.ts";
import type { StoreTime } from "./store-time.ts";
import type { JsonValue, StoredObject } from "./stored-object.ts";

/** An answer holds at most this many objects; a larger one is refused with 307 before it can exhaust the server. */
const maximumObjects = 100_000;

export interface SerializationSource {
  readonly objects: ObjectRepository;
  readonly visibility: Visibility;
  readonly storeTime: StoreTime;
}

type Output = Record<string, JsonValue | SerializedObject | SerializedCollection>;

/** The objects of one step away from the roots, by the plans under which they are written. */
type Step = readonly (readonly [ObjectPlan, readonly StoredObject[]])[];

/**
 * Turns stored objects into what clients see, as the plan says. Each step away from the roots is loaded in one batch for
 * all objects together; where only a page of a collection is written, its members are looked up in one batch before. What
 * the caller may not see is `null` as a reference and missing in a collection.
 */
export class ObjectSerializer {
  private readonly loaded = new Map<ObjectId, StoredObject>();
  /** Members of paged collections that the caller may see; most of them are not loaded. */
  private readonly seen = new Set<ObjectId>();
  private written = 0;

  constructor(
    private readonly source: SerializationSource,
    private readonly plan: ObjectPlan,
  ) {}

  /** Reads what it needs, but for visible objects that were read already. */
  async run(roots: readonly StoredObject[], known: readonly StoredObject[] = []): Promise<SerializedObject[]> {
    for (const object of known) this.loaded.set(object.id, object);
    for (const root of roots) this.loaded.set(root.id, root);
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
          if (link.page === null) want(wanted, link, targetsOf(object, link));
          else paged.push([object, link]);
        }
      }
    }
    if (paged.length > 0) await this.lookUp(paged);
    for (const [object, link] of paged) want(wanted, link, this.shownOf(object, link).ids);
    if (wanted.size === 0) return [];
    await this.load(wanted);
    return [...wanted]
      .filter(([plan]) => plan.attributes)
      .map(([plan, ids]) => [plan, [...ids].flatMap((id) => this.loaded.get(id) ?? [])]);
  }

  /** Finds out which members of collections the caller may see. */
  private async lookUp(collections: readonly (readonly [StoredObject, PlannedLink])[]): Promise<void> {
    const members = new Set<ObjectId>();
    for (const [object, link] of collections) addAll(members, targetsOf(object, link));
    const unknown = [...members].filter((id) => !this.loaded.has(id) && !this.seen.has(id));
    if (unknown.length === 0) return;
    for (const id of await this.source.objects.visible(unknown, this.source.visibility)) this.seen.add(id);
  }

  private async load(wanted: ReadonlyMap<ObjectPlan, ReadonlySet<ObjectId>>): Promise<void> {
    const ids = new Set([...wanted.values()].flatMap((each) => [...each]));
    if (ids.size > maximumObjects) throw tooLarge();
    const missing = [...ids].filter((id) => !this.loaded.has(id));
    if (missing.length === 0) return;
    for (const object of await this.source.objects.get(missing, this.source.visibility)) this.loaded.set(object.id, object);
  }

  private write(object: StoredObject, plan: ObjectPlan): SerializedObject {
    this.written += 1;
    if (this.written > maximumObjects) throw tooLarge();
    if (!plan.metaFields) return { "~ObjectID": object.id };
    const ofClass = plan.of(object.className);
    if (ofClass !== undefined && ofClass.plain !== null) return this.writePlain(object, ofClass.plain);
    const output: Output & { "~ObjectID": string } = {
      "~ClassName": object.className,
      "~ObjectID": object.id,
      "~StoreTime": this.source.storeTime.format(object.storedAt),
    };
    for (const { name, link } of ofClass?.attributes ?? []) {
      if (!Object.hasOwn(object.attributes, name)) continue;
      output[name] = link === null ? (object.attributes[name] ?? null) : this.writeLink(object, link);
    }
    return output;
  }

  /**
   * An object without links, in one literal with one spread: the engine copies that, and turns it into JSON, in half the
   * time of what is put together name by name.
   */
  private writePlain({ className, id, storedAt, attributes }: StoredObject, modelClass: ModelClass): SerializedObject {
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

  private writeLink(object: StoredObject, link: PlannedLink): SerializedObject | SerializedCollection | null {
    const { ids, count } = this.shownOf(object, link);
    const targets = ids.flatMap((id) => this.loaded.get(id) ?? []);
    if (!link.isCollection) return targets[0] === undefined ? null : this.write(targets[0], link.target);
    const elements = targets.map((element) => this.write(element, link.target));
    return { "~Count": count ?? elements.length, "~UnfilteredCount": count ?? elements.length, "~Elements": elements };
  }

  /** The targets that are written; of a paged collection also how many the caller may see. */
  private shownOf(object: StoredObject, link: PlannedLink): { readonly ids: readonly ObjectId[]; readonly count?: number } {
    const targets = targetsOf(object, link);
    if (link.page === null) return { ids: targets };
    const members = targets.filter((id) => this.seen.has(id) || this.loaded.has(id));
    const { offset, limit } = link.page;
    return { ids: members.slice(offset, offset + limit), count: members.length };
  }
}

function want(wanted: Map<ObjectPlan, Set<ObjectId>>, { target }: PlannedLink, ids: readonly ObjectId[]): void {
  const all = wanted.get(target) ?? new Set();
  wanted.set(target, all);
  addAll(all, ids);
}

/** Refuses at once what would be refused in the end, before it takes more memory. */
function addAll(all: Set<ObjectId>, ids: readonly ObjectId[]): void {
  for (const id of ids) all.add(id);
  if (all.size > maximumObjects) throw tooLarge();
}

function targetsOf({ attributes }: StoredObject, { name }: PlannedLink): ObjectId[] {
  return idsOf(attributes, name);
}

function tooLarge(): ServiceError {
  return new ServiceError(307, { detail: `More than ${maximumObjects} objects would have to be read.` });
}
