import {
  acceptAnswerBytes,
  acceptObjectCount,
  AnswerBudget,
  AnswerTooLargeError,
  atMost,
  exact,
  idsOf,
  isAttributeName,
  type Measure,
  type ObjectId,
  type SerializedObject,
  type StoredObject,
  UnparsedObject,
  utf8Bytes,
} from "@sallyport/storage";
import type { ModelClass } from "../../model/index.ts";
import { metaFieldsOnly, type ObjectPlan, type PlannedLink, withUuid } from "./object-plan.ts";
import { type Concerns, formValues, LoadedObjects, ObjectWriter } from "./object-writer.ts";
import { type AnswerExtension, AnswerExtensionError, type SerializationSource } from "./serialization-source.ts";

import type { ValueForms } from "./value-forms.ts";

/** Objects at one distance from the roots, by plan. */
type Step = readonly (readonly [ObjectPlan, readonly StoredObject[]])[];

interface WrittenAnswer {
  readonly outputs: SerializedObject[];
  /** Objects that hooks will extend. */
  readonly extended: ObjectWriter["extended"];
  /** Upper bound of the JSON size; `null` if a repeated object may grow. */
  readonly bytes: number | null;
}

/**
 * Serializes stored objects by a plan. Each distance from the roots is loaded in one batch. Members of paged
 * collections are looked up in one batch before. An invisible target is `null` in a reference and absent from a
 * collection. The byte limit of the source applies to the data read and to the data written. Only the written part of
 * an object counts as written.
 */
export class ObjectSerializer {
  private readonly loaded = new LoadedObjects();
  private readonly budget: AnswerBudget;

  constructor(
    private readonly source: SerializationSource,
    private readonly plan: ObjectPlan,
  ) {
    this.budget = new AnswerBudget(source.answerBytes);
  }

  /** The forms of values if nothing reads more of an object than is written; else `null`. */
  async formsOfReads(): Promise<ValueForms | null> {
    const { extension } = this.source;
    if (this.plan.values === null) return null;
    return this.plan.extensible && (await extension?.begin()) === true ? null : this.plan.values;
  }

  /** Loads missing objects and writes. `knownObjects`: visible objects already read. */
  async serialize(
    roots: readonly StoredObject[],
    knownObjects: readonly StoredObject[] = [],
  ): Promise<SerializedObject[]> {
    await this.load(roots, knownObjects);
    return this.write(roots);
  }

  /** Reads what the objects refer to. */
  async load(roots: readonly StoredObject[], knownObjects: readonly StoredObject[] = []): Promise<void> {
    this.keep(knownObjects);
    this.keep(roots);
    let step: Step = this.plan.attributes && roots.length > 0 ? [[this.plan, roots]] : [];
    while (step.length > 0) step = await this.loadTargets(step);
  }

  /** Writes objects that are loaded. */
  async write(roots: readonly StoredObject[]): Promise<SerializedObject[]> {
    return this.source.extension === undefined || !this.plan.extensible
      ? this.writeAll(roots).outputs
      : this.writeExtended(roots, this.source.extension);
  }

  /**
   * Writes objects that are loaded as a JSON array, in pieces. Copies what the plan shows as it is stored. A text of more than
   * 128 KiB has memory of its own in V8, which takes longer than the rest of the work.
   */
  async writeText(roots: readonly StoredObject[]): Promise<readonly string[]> {
    const { answerBytes, extension } = this.source;
    const isExtended = this.plan.extensible && (await extension?.begin()) === true;
    const elements = isExtended ? null : this.copies(roots);
    if (elements === null) return [JSON.stringify(await this.write(roots))];
    const pieces = ["[", ...elements.map((element, index) => (index === 0 ? element : `,${element}`)), "]"];
    if (utf8Bytes(pieces, answerBytes) > answerBytes) throw new AnswerTooLargeError();
    return pieces;
  }

  /** The objects as they are stored; `null` if one of them has more than the plan shows, or was parsed. */
  private copies(roots: readonly StoredObject[]): readonly string[] | null {
    const { plan } = this;
    if (!plan.metaFields || !plan.uuid) return null;
    const elements: string[] = [];
    for (const root of roots) {
      const plain = plan.of(root.className)?.plain ?? null;
      if (plain === null || !(root instanceof UnparsedObject) || !hasOnly(plain, root.text)) return null;
      elements.push(textOf(root, this.source.storeTime.format(root.storedAt)));
    }
    return elements;
  }

  /** Hooks may add members. Measures the answer again only if the upper bound exceeds the limit. */
  private async writeExtended(roots: readonly StoredObject[], extension: AnswerExtension): Promise<SerializedObject[]> {
    const concerns = (await extension.begin()) ? (className: string) => extension.concerns(className) : null;
    const { outputs, extended, bytes } = this.writeAll(roots, concerns);
    if (extended.length === 0) return outputs;
    const added = await extension.complete(extended);
    formValues(extended);
    if (bytes === null || bytes + added > this.source.answerBytes) acceptAnswerBytes(outputs, this.source.answerBytes);
    return outputs;
  }

  /** Most answers fit by their upper bound. Only the others are measured exactly. */
  private writeAll(roots: readonly StoredObject[], concerns: Concerns = null): WrittenAnswer {
    try {
      return this.writeMeasured(roots, atMost, concerns);
    } catch (error) {
      if (!(error instanceof AnswerTooLargeError)) throw error;
      this.budget.restartWriting();
      return this.writeMeasured(roots, exact, concerns);
    }
  }

  private writeMeasured(roots: readonly StoredObject[], measure: Measure, concerns: Concerns): WrittenAnswer {
    const { storeTime } = this.source;
    const { budget } = this;
    const writer = new ObjectWriter(this.loaded, storeTime, budget, measure, concerns);
    const outputs = roots.map((root) => writer.write(root, this.plan));
    return { outputs, extended: writer.extended, bytes: writer.repeats ? null : budget.bytesWritten };
  }

  /** Loads the targets to write. Returns those with attributes as the next step. */
  private async loadTargets(step: Step): Promise<Step> {
    const requested = new Map<ObjectPlan, Set<ObjectId>>();
    const paged: [StoredObject, PlannedLink][] = [];
    for (const [plan, objects] of step) {
      for (const object of objects) {
        for (const link of plan.of(object.className)?.links ?? []) {
          if (link.page === null) request(requested, link, this.loaded.shown(object, link).ids);
          else paged.push([object, link]);
        }
      }
    }
    if (paged.length > 0) await this.lookUp(paged);
    for (const [object, link] of paged) request(requested, link, this.loaded.shown(object, link).ids);
    if (requested.size === 0) return [];
    await this.loadRequested(requested);
    const next: [ObjectPlan, StoredObject[]][] = [];
    for (const [plan, ids] of requested)
      if (plan.attributes) next.push([plan, [...ids].flatMap((id) => this.loaded.find(id) ?? [])]);
    return next;
  }

  private async lookUp(collections: readonly (readonly [StoredObject, PlannedLink])[]): Promise<void> {
    const members = new Set<ObjectId>();
    for (const [{ attributes }, { name }] of collections) addAll(members, idsOf(attributes, name));
    await this.outline([...members]);
  }

  private async loadRequested(requested: ReadonlyMap<ObjectPlan, ReadonlySet<ObjectId>>): Promise<void> {
    const all = new Set<ObjectId>();
    const whole = new Set<ObjectId>();
    for (const [plan, ids] of requested) {
      addAll(all, ids);
      if (plan.attributes) addAll(whole, ids);
    }
    const missing = [...whole].filter((id) => this.loaded.find(id) === undefined);
    if (missing.length > 0)
      this.keep(await this.source.objects.get(missing, this.source.visibility, this.budget.remaining()));
    await this.outline([...all].filter((id) => !whole.has(id)));
  }

  private async outline(ids: readonly ObjectId[]): Promise<void> {
    const unknown = ids.filter((id) => !this.loaded.isKnown(id));
    if (unknown.length > 0)
      this.loaded.keepOutlines(await this.source.objects.outlines(unknown, this.source.visibility));
  }

  private keep(objects: readonly StoredObject[]): void {
    this.loaded.keep(objects);
    this.budget.addRead(objects);
  }
}

/** Characters of the longest text that is searched for names. */
const searched = 65_536;
const shapes = new WeakMap<ModelClass, RegExp>();

/** Whether JSON of a database certainly has no member besides attributes of the class. Lists and objects are not looked into. */
function hasOnly(modelClass: ModelClass, text: string): boolean {
  let shape = shapes.get(modelClass);
  if (shape === undefined) {
    const names = [...modelClass.attributes.keys()].filter(isAttributeName).join("|");
    const value = String.raw`(?:"[^"\\]*(?:\\.[^"\\]*)*"|[-+.0-9a-z]+)`;
    shape = new RegExp(String.raw`^\{(?:"(?:${names})": ${value}(?:, |(?=\})))*\}$`);
    shapes.set(modelClass, shape);
  }
  return text.length <= searched && shape.test(text);
}

/**
 * A name of a member with the spaces of PostgreSQL around it. A text can look alike only with a backslash before the quote, and
 * is followed by a comma or brace where it ends with `, `.
 */
const spacedName = /, "(\w+)": /g;

/** Compact, like all answers. The names of classes have no characters that JSON escapes. */
function textOf({ className, id, uuid, text }: UnparsedObject, storeTime: string): string {
  const fields = `{"~ClassName":"${className}","~ObjectID":"${id}","~UUID":"${uuid}","~StoreTime":"${storeTime}"`;
  return text === "{}" ? `${fields}}` : fields + `, ${text.slice(1)}`.replace(spacedName, ',"$1":');
}

function request(requested: Map<ObjectPlan, Set<ObjectId>>, { target }: PlannedLink, ids: readonly ObjectId[]): void {
  const all = requested.get(target) ?? new Set();
  requested.set(target, all);
  addAll(all, ids);
}

/** Fails early, before the set uses more memory. */
function addAll(all: Set<ObjectId>, ids: Iterable<ObjectId>): void {
  for (const id of ids) all.add(id);
  acceptObjectCount(all.size);
}

/**
 * Serializes the results of completed writes. Falls back to the meta-fields if the answer is too large or a hook
 * refuses it: the answer must not look like a failed write. `knownObjects`: visible objects already read.
 */
export async function serializeAllWritten(
  source: SerializationSource,
  plan: ObjectPlan,
  written: readonly StoredObject[],
  knownObjects: readonly StoredObject[] = [],
): Promise<readonly SerializedObject[]> {
  try {
    return await new ObjectSerializer(source, plan).serialize(written, knownObjects);
  } catch (error) {
    if (error instanceof AnswerExtensionError) source.extension?.ignore(error);
    else if (!(error instanceof AnswerTooLargeError)) throw error;
    // Attributes count for the limit even if they are not written.
    const bare = written.map((each) => ({ ...each, attributes: {} }));
    return new ObjectSerializer(source, plan.uuid ? withUuid(metaFieldsOnly) : metaFieldsOnly).serialize(bare);
  }
}

/** Like `serializeAllWritten`, for one object. */
export async function serializeWritten(
  source: SerializationSource,
  plan: ObjectPlan,
  object: StoredObject,
  knownObjects: readonly StoredObject[] = [],
): Promise<SerializedObject> {
  const [serialized] = (await serializeAllWritten(source, plan, [object], knownObjects)) as [SerializedObject];
  return serialized;
}
