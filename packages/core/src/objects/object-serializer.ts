import { ServiceError } from "../errors/service-error.ts";
import type { AttributeDefinition } from "../model/class-definition.ts";
import type { Model, ModelClass } from "../model/model.ts";
import type { Visibility } from "../rights/visibility.ts";
import type { ObjectId } from "./object-id.ts";
import type { ObjectRepository } from "./object-repository.ts";
import type { SerializedCollection, SerializedObject } from "./serialized-object.ts";
import type { StoreTime } from "./store-time.ts";
import type { JsonValue, StoredObject } from "./stored-object.ts";

/** References are followed this far unless the request says otherwise. */
export const defaultDepth = 2;

/** An answer holds at most this many objects; a larger one is refused with 307 before it can exhaust the server. */
const maximumObjects = 100_000;

export interface SerializationSource {
  readonly model: Model;
  readonly objects: ObjectRepository;
  readonly visibility: Visibility;
  readonly storeTime: StoreTime;
}

type Output = Record<string, JsonValue | SerializedObject | SerializedCollection>;

/**
 * Turns stored objects into what clients see. References down to `depth` appear with their attributes, one step
 * further with their meta-fields only; each step is loaded in one batch for all objects together. What the caller
 * may not see is `null` as a reference and missing in a collection.
 */
export class ObjectSerializer {
  private readonly loaded = new Map<ObjectId, StoredObject>();
  private written = 0;

  constructor(
    private readonly source: SerializationSource,
    private readonly depth: number = defaultDepth,
  ) {}

  /** Reads what it needs, but for visible objects that were read already. */
  async run(roots: readonly StoredObject[], known: readonly StoredObject[] = []): Promise<SerializedObject[]> {
    for (const object of known) this.loaded.set(object.id, object);
    for (const root of roots) this.loaded.set(root.id, root);
    let step = roots;
    for (let level = 0; level <= this.depth && step.length > 0; level += 1) step = await this.loadTargets(step);
    return roots.map((root) => this.write(root, 0));
  }

  /** Loads everything that the objects point to, and returns it. */
  private async loadTargets(objects: readonly StoredObject[]): Promise<StoredObject[]> {
    const wanted = new Set<ObjectId>();
    for (const object of objects) {
      for (const link of this.source.model.find(object.className)?.links ?? []) {
        for (const id of targetsOf(object, link)) wanted.add(id);
      }
    }
    if (wanted.size > maximumObjects) throw tooLarge();
    const missing = [...wanted].filter((id) => !this.loaded.has(id));
    const found = missing.length === 0 ? [] : await this.source.objects.get(missing, this.source.visibility);
    for (const object of found) this.loaded.set(object.id, object);
    return [...wanted].flatMap((id) => this.loaded.get(id) ?? []);
  }

  private write(object: StoredObject, level: number): SerializedObject {
    this.written += 1;
    if (this.written > maximumObjects) throw tooLarge();
    const modelClass = this.source.model.find(object.className);
    if (level <= this.depth && modelClass !== undefined && modelClass.links.length === 0) return this.writePlain(object, modelClass);
    const output: Output = {
      "~ClassName": object.className,
      "~ObjectID": object.id,
      "~StoreTime": this.source.storeTime.format(object.storedAt),
    };
    for (const [name, attribute] of (level <= this.depth && modelClass?.attributes) || []) {
      if (Object.hasOwn(object.attributes, name)) output[name] = this.writeValue(object, attribute, level);
    }
    return output as SerializedObject;
  }

  /**
   * An object without links, in one literal with one spread: the engine copies that, and turns it into JSON, in half the
   * time of what is put together name by name.
   */
  private writePlain({ className, id, storedAt, attributes }: StoredObject, modelClass: ModelClass): SerializedObject {
    const output: Output = {
      "~ClassName": className,
      "~ObjectID": id,
      "~StoreTime": this.source.storeTime.format(storedAt),
      ...attributes,
    };
    // What is stored under a name that the class no longer has is not shown.
    for (const name in attributes) if (!modelClass.attributes.has(name)) delete output[name];
    return output as SerializedObject;
  }

  private writeValue(
    object: StoredObject,
    attribute: AttributeDefinition,
    level: number,
  ): JsonValue | SerializedObject | SerializedCollection {
    if (attribute.type === "collection") {
      const elements = targetsOf(object, attribute)
        .flatMap((id) => this.loaded.get(id) ?? [])
        .map((element) => this.write(element, level + 1));
      return { "~Count": elements.length, "~UnfilteredCount": elements.length, "~Elements": elements };
    }
    if (attribute.type === "reference" || attribute.type === "file") {
      const target = targetsOf(object, attribute).flatMap((id) => this.loaded.get(id) ?? [])[0];
      return target === undefined ? null : this.write(target, level + 1);
    }
    return object.attributes[attribute.name] ?? null;
  }
}

function targetsOf(object: StoredObject, { name }: AttributeDefinition): ObjectId[] {
  const value = Object.hasOwn(object.attributes, name) ? object.attributes[name] : null;
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];
}

function tooLarge(): ServiceError {
  return new ServiceError(307, { detail: `The answer would hold more than ${maximumObjects} objects.` });
}
