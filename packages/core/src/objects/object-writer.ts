import type { ModelClass } from "../model/index.ts";
import type { StoreTime } from "../request/index.ts";
import {
  type AnswerBudget,
  idsOf,
  jsonBytes,
  type JsonValue,
  type Measure,
  type ObjectId,
  type ObjectOutline,
  type SerializedCollection,
  type SerializedObject,
  type StoredObject,
  type Written,
} from "../storage/index.ts";
import type { ObjectPlan, PlannedLink } from "./object-plan.ts";
import type { WrittenObject } from "./serialization-source.ts";

type Output = Record<string, JsonValue | SerializedObject | SerializedCollection>;

/** What is written of an object below others, and what each repetition takes. */
interface WrittenTarget {
  readonly output: SerializedObject;
  readonly cost: Written;
}

/** Bytes of the names and punctuation around what differs. */
const around = { id: 18, metaFields: 72, uuid: 48, attribute: 6, collection: 80, nothing: 4 } as const;

/** Writes objects as plans say, from what is loaded, and counts what that takes. */
export class ObjectWriter {
  /** By plan: an object that many point to is written once, and counts each time. */
  private readonly targets = new Map<ObjectPlan, Map<ObjectId, WrittenTarget>>();
  private isRepeating = false;

  constructor(
    private readonly loaded: LoadedObjects,
    private readonly storeTime: StoreTime,
    private readonly budget: AnswerBudget,
    private readonly measure: Measure,
    /** Told of each object on which hooks may build; those that it leads to come before it. */
    private readonly extend?: (written: WrittenObject) => void,
  ) {}

  get repeats(): boolean {
    return this.isRepeating;
  }

  write(object: StoredObject | ObjectOutline, plan: ObjectPlan): SerializedObject {
    const before = this.budget.bytesWritten;
    const output = this.writeMembers(object, plan);
    if (this.extend !== undefined && plan.extensible && "attributes" in object)
      this.extend({ object, output: output as Output, bytes: this.budget.bytesWritten - before });
    return output;
  }

  private writeMembers(object: StoredObject | ObjectOutline, plan: ObjectPlan): SerializedObject {
    this.count(around.id + object.id.length, 1);
    if (!plan.metaFields) return { "~ObjectID": object.id };
    this.count(around.metaFields + object.className.length + (plan.uuid ? around.uuid : 0));
    const ofClass = plan.of(object.className);
    if (ofClass !== undefined && ofClass.plain !== null && "attributes" in object)
      return this.writePlain(object, ofClass.plain, plan.uuid);
    const { className, id, uuid, storedAt } = object;
    const storeTime = this.storeTime.format(storedAt);
    const output: Output & { "~ObjectID": string } = plan.uuid
      ? { "~ClassName": className, "~ObjectID": id, "~UUID": uuid, "~StoreTime": storeTime }
      : { "~ClassName": className, "~ObjectID": id, "~StoreTime": storeTime };
    if (ofClass === undefined || !("attributes" in object)) return output;
    for (const { name, link } of ofClass.attributes) {
      if (!Object.hasOwn(object.attributes, name)) continue;
      this.count(around.attribute + name.length);
      output[name] = link === null ? this.writeValue(object.attributes[name] ?? null) : this.writeLink(object, link);
    }
    return output;
  }

  /** In one literal with one spread: the engine copies that, and makes JSON of it, in half the time of name by name. */
  private writePlain(
    { className, id, uuid, storedAt, attributes }: StoredObject,
    modelClass: ModelClass,
    hasUuid: boolean,
  ): SerializedObject {
    this.count(jsonBytes(attributes, this.measure));
    const storeTime = this.storeTime.format(storedAt);
    const output: Output & { "~ObjectID": string } = hasUuid
      ? { "~ClassName": className, "~ObjectID": id, "~UUID": uuid, "~StoreTime": storeTime, ...attributes }
      : { "~ClassName": className, "~ObjectID": id, "~StoreTime": storeTime, ...attributes };
    // What is stored under a name that the class no longer has is not shown.
    for (const name in attributes) if (!modelClass.attributes.has(name)) delete output[name];
    return output;
  }

  private writeValue(value: JsonValue): JsonValue {
    this.count(jsonBytes(value, this.measure));
    return value;
  }

  private writeLink(object: StoredObject, link: PlannedLink): SerializedObject | SerializedCollection | null {
    const { ids, count } = this.loaded.shown(object, link);
    const targets = this.loaded.targets(ids, link);
    if (!link.isCollection) {
      const [target] = targets;
      if (target !== undefined) return this.writeTarget(target, link.target);
      this.count(around.nothing);
      return null;
    }
    this.count(around.collection);
    const elements = targets.map((element) => this.writeTarget(element, link.target));
    return { "~Count": count ?? elements.length, "~UnfilteredCount": count ?? elements.length, "~Elements": elements };
  }

  private writeTarget(object: StoredObject | ObjectOutline, plan: ObjectPlan): SerializedObject {
    const ofPlan = this.targets.get(plan) ?? new Map<ObjectId, WrittenTarget>();
    this.targets.set(plan, ofPlan);
    const known = ofPlan.get(object.id);
    if (known !== undefined) {
      this.isRepeating = true;
      this.budget.addWritten(known.cost);
      return known.output;
    }
    const before = this.budget.written;
    const output = this.write(object, plan);
    const after = this.budget.written;
    ofPlan.set(object.id, {
      output,
      cost: { objects: after.objects - before.objects, bytes: after.bytes - before.bytes },
    });
    return output;
  }

  private count(bytes: number, objects = 0): void {
    this.budget.addWritten({ objects, bytes });
  }
}

interface ShownTargets {
  readonly ids: readonly ObjectId[];
  /** Of a collection of which a page is written: how many members the caller may see. */
  readonly count?: number;
}

/** What an answer is written from, as far as the caller may see it: what is not here is not there. */
export class LoadedObjects {
  private readonly whole = new Map<ObjectId, StoredObject>();
  /** Of those of which the meta-fields are written, or not even these: most members of collections of which a page is. */
  private readonly outlines = new Map<ObjectId, ObjectOutline>();

  keep(objects: readonly StoredObject[]): void {
    for (const object of objects) this.whole.set(object.id, object);
  }

  keepOutlines(outlines: readonly ObjectOutline[]): void {
    for (const outline of outlines) this.outlines.set(outline.id, outline);
  }

  find(id: ObjectId): StoredObject | undefined {
    return this.whole.get(id);
  }

  isKnown(id: ObjectId): boolean {
    return this.whole.has(id) || this.outlines.has(id);
  }

  shown(object: StoredObject, { name, page }: PlannedLink): ShownTargets {
    const targets = idsOf(object.attributes, name);
    if (page === null) return { ids: targets };
    const members = targets.filter((id) => this.isKnown(id));
    return { ids: members.slice(page.offset, page.offset + page.limit), count: members.length };
  }

  /** Those of the targets that are there, as much of them as is written. */
  targets(ids: readonly ObjectId[], { target }: PlannedLink): (StoredObject | ObjectOutline)[] {
    return ids.flatMap((id) => this.whole.get(id) ?? (target.attributes ? [] : (this.outlines.get(id) ?? [])));
  }
}
