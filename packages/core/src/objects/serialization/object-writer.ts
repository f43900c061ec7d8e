import type { ModelClass } from "../../model/index.ts";
import type { StoreTime } from "../../request/index.ts";
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
} from "@sallyport/storage";
import type { ObjectPlan, PlannedLink } from "./object-plan.ts";
import type { WrittenObject } from "./serialization-source.ts";
import { formed, type ValueForms } from "./value-forms.ts";

type Output = Record<string, JsonValue | SerializedObject | SerializedCollection>;

/** A written target and the cost of each repetition. */
interface WrittenTarget {
  readonly output: SerializedObject;
  readonly cost: Written;
}

/** Whether hooks extend objects of a class; `null` if there are no hooks. */
export type Concerns = ((className: string) => boolean) | null;

interface PlannedObject extends WrittenObject {
  readonly plan: ObjectPlan;
}

/** Writes the values of objects that hooks have seen in the forms of their plans. */
export function formValues(objects: readonly PlannedObject[]): void {
  for (const { object, output, plan } of objects) {
    if (plan.values === null) continue;
    for (const { name, type, link } of plan.of(object.className)?.attributes ?? [])
      if (link === null && Object.hasOwn(output, name))
        output[name] = formed(output[name] as JsonValue, type, plan.values);
  }
}

/** Fixed bytes of names and punctuation. */
const overheads = { id: 18, metaFields: 72, uuid: 48, attribute: 6, collection: 80, nothing: 4 } as const;

/** Writes loaded objects by plans and counts the bytes. */
export class ObjectWriter {
  /** By plan. A target with several referrers is written once, but counts each time. */
  private readonly targets = new Map<ObjectPlan, Map<ObjectId, WrittenTarget>>();
  /** Whether a target has several referrers. */
  repeats = false;
  /** Objects that hooks will extend, targets first. */
  readonly extended: PlannedObject[] = [];

  constructor(
    private readonly loaded: LoadedObjects,
    private readonly storeTime: StoreTime,
    private readonly budget: AnswerBudget,
    private readonly measure: Measure,
    private readonly concerns: Concerns,
  ) {}

  write(object: StoredObject | ObjectOutline, plan: ObjectPlan): SerializedObject {
    const before = this.budget.bytesWritten;
    if (!plan.extensible || !("attributes" in object) || this.concerns?.(object.className) !== true)
      return this.writeMembers(object, plan, plan.values);
    // Hooks see whole values.
    const output = this.writeMembers(object, plan, null);
    this.extended.push({ object, output: output as Output, bytes: this.budget.bytesWritten - before, plan });
    return output;
  }

  private writeMembers(
    object: StoredObject | ObjectOutline,
    plan: ObjectPlan,
    values: ValueForms | null,
  ): SerializedObject {
    this.budget.addWritten(overheads.id + object.id.length, 1);
    if (!plan.metaFields) return { "~ObjectID": object.id };
    this.budget.addWritten(overheads.metaFields + object.className.length + (plan.uuid ? overheads.uuid : 0));
    const ofClass = plan.of(object.className);
    if (ofClass !== undefined && ofClass.plain !== null && "attributes" in object)
      return this.writePlain(object, ofClass.plain, plan.uuid);
    const { className, id, uuid, storedAt } = object;
    const storeTime = this.storeTime.format(storedAt);
    const output: Output & { "~ObjectID": string } = plan.uuid
      ? { "~ClassName": className, "~ObjectID": id, "~UUID": uuid, "~StoreTime": storeTime }
      : { "~ClassName": className, "~ObjectID": id, "~StoreTime": storeTime };
    if (ofClass === undefined || !("attributes" in object)) return output;
    for (const { name, type, link } of ofClass.attributes) {
      if (!Object.hasOwn(object.attributes, name)) continue;
      this.budget.addWritten(overheads.attribute + name.length);
      const value = object.attributes[name] ?? null;
      output[name] =
        link === null
          ? this.writeValue(values === null ? value : formed(value, type, values))
          : this.writeLink(object, link);
    }
    return output;
  }

  /** One literal with one spread. V8 copies and stringifies it in half the time of member assignments. */
  private writePlain(
    { className, id, uuid, storedAt, attributes }: StoredObject,
    modelClass: ModelClass,
    hasUuid: boolean,
  ): SerializedObject {
    this.budget.addWritten(jsonBytes(attributes, this.measure));
    const storeTime = this.storeTime.format(storedAt);
    const output: Output & { "~ObjectID": string } = hasUuid
      ? { "~ClassName": className, "~ObjectID": id, "~UUID": uuid, "~StoreTime": storeTime, ...attributes }
      : { "~ClassName": className, "~ObjectID": id, "~StoreTime": storeTime, ...attributes };
    // Hide stored attributes that the class no longer has.
    for (const name in attributes) if (!modelClass.attributes.has(name)) delete output[name];
    return output;
  }

  private writeValue(value: JsonValue): JsonValue {
    this.budget.addWritten(jsonBytes(value, this.measure));
    return value;
  }

  private writeLink(object: StoredObject, link: PlannedLink): SerializedObject | SerializedCollection | null {
    const { ids, count } = this.loaded.shown(object, link);
    const targets = this.loaded.targets(ids, link);
    if (!link.isCollection) {
      const [target] = targets;
      if (target !== undefined) return this.writeTarget(target, link.target);
      this.budget.addWritten(overheads.nothing);
      return null;
    }
    this.budget.addWritten(overheads.collection);
    const elements = targets.map((element) => this.writeTarget(element, link.target));
    return { "~Count": count ?? elements.length, "~UnfilteredCount": count ?? elements.length, "~Elements": elements };
  }

  private writeTarget(object: StoredObject | ObjectOutline, plan: ObjectPlan): SerializedObject {
    const ofPlan = this.targets.get(plan) ?? new Map<ObjectId, WrittenTarget>();
    this.targets.set(plan, ofPlan);
    const cached = ofPlan.get(object.id);
    if (cached !== undefined) {
      this.repeats = true;
      this.budget.addWritten(cached.cost.bytes, cached.cost.objects);
      return cached.output;
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
}

interface ShownTargets {
  readonly ids: readonly ObjectId[];
  /** For a paged collection: number of members visible to the caller. */
  readonly count?: number;
}

/** Loaded objects that the caller may see. Absent ids are invisible. */
export class LoadedObjects {
  private readonly whole = new Map<ObjectId, StoredObject>();
  /** Targets without attributes, mostly members of paged collections. */
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

  /** The visible targets, in the form that the plan writes. */
  targets(ids: readonly ObjectId[], { target }: PlannedLink): (StoredObject | ObjectOutline)[] {
    return ids.flatMap((id) => this.whole.get(id) ?? (target.attributes ? [] : (this.outlines.get(id) ?? [])));
  }
}
