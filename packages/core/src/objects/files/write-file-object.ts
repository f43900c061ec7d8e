import {
  type Attributes,
  fileClass,
  refusedAs,
  type Repositories,
  ServiceError,
  type SingleReference,
  type StoredObject,
} from "@sallyport/storage";
import { mayOnClass, type Model, type ModelClass, visibilityOf } from "../../model/index.ts";
import { inTransaction, type SessionContext, withCurrentModel } from "../../request/index.ts";
import { requireMandatory } from "../attributes/accept-attributes.ts";
import { canHaveBytes, isFileClass, knownFileAttributes } from "./file-class.ts";
import { describeFile } from "./file-record.ts";
import { cacheClass, type FoundObject, visibleObject } from "../get-object.ts";
import { hookedSource } from "../hooks/answer-hooks.ts";
import { type HookedSave, hooksOfSaves, type SaveHooks } from "../hooks/save-hooks.ts";
import { planSerialization } from "../serialization/object-plan.ts";
import { serializeWritten } from "../serialization/object-serializer.ts";
import type { ResolvedAttributes } from "../attributes/resolve-links.ts";
import type { ReadScope } from "../serialization/serialization-source.ts";
import type { Serialization } from "../serialization/serialization.ts";
import { writeChange, writeNew } from "../write-object.ts";
import { withoutRight } from "../object-findings.ts";
import type { ObjectContext } from "../hooks/active-hooks.ts";

export interface FileObjectInput {
  /** The object to change; `null` creates one. */
  readonly replace: SingleReference | null;
  /** Class of a new object; default `File`. */
  readonly className?: string | undefined;
  /** Accepted versions of the changed object; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
  /** Attributes that the class lacks are left out. */
  readonly attributes: Attributes;
  readonly serialization?: Serialization | undefined;
  /** Runs in the transaction of the write, possibly several times. */
  readonly also: (r: Repositories, written: StoredObject) => Promise<void>;
}

/** Throws like the write itself if the caller has no right to it. Saves receiving bytes in vain. */
export async function acceptFileWriter(
  context: SessionContext,
  input: Pick<FileObjectInput, "replace" | "className">,
): Promise<void> {
  await withCurrentModel(context, (model) => target(context, model, input));
}

export function writeFileObject(context: ObjectContext, input: FileObjectInput): Promise<FoundObject> {
  const { principal } = context;
  return withCurrentModel(context, async (whole) => {
    const model = whole.as(principal);
    const { className } = await target(context, whole, input);
    const readScope = { model, visibility: visibilityOf(principal, model) };
    const plan = planSerialization(input.serialization, { ...readScope, className });
    const hooks = await hooksOfSaves(context, [className], readScope);
    const write = (ready: ObjectContext) =>
      inTransaction(ready, (inside) => writeInside(inside, input, { whole, className, hooks, readScope }));
    const written = await refusedAs(713, hooks === null ? write(context) : hooks.prepared(context, write));
    cacheClass(context, written);
    const object = await serializeWritten(hookedSource(context, readScope), plan, written);
    return { object, version: written.version };
  });
}

/** The class of the object to write, and the object if it exists. */
async function target(
  { r, principal }: SessionContext,
  whole: Model,
  { replace, className: newClass = fileClass }: Pick<FileObjectInput, "replace" | "className">,
): Promise<{ readonly className: string; readonly base: StoredObject | null }> {
  const visibility = visibilityOf(principal, whole);
  const base = replace === null ? null : await visibleObject(r, replace, visibility, 610);
  const className = base?.className ?? newClass;
  const modelClass = whole.find(className);
  if (modelClass === undefined || !canHaveBytes(whole, className) || visibility.classes?.has(className) === false)
    throw new ServiceError(304);
  const permission = base === null ? "create" : "write";
  if (!mayOnClass(principal, modelClass, permission)) throw withoutRight(permission, modelClass);
  return { className, base };
}

interface FileWriting {
  /** With the attributes that the caller may not read. */
  readonly whole: Model;
  readonly className: string;
  readonly hooks: SaveHooks | null;
  readonly readScope: ReadScope;
}

async function writeInside(
  inside: ObjectContext,
  input: FileObjectInput,
  { whole, className, hooks, readScope }: FileWriting,
): Promise<StoredObject> {
  const { expectedVersions, attributes, also } = input;
  const { base } = await lockedTarget(inside, whole, input);
  if (base !== null && base.className !== className) throw new ServiceError(304);
  if (base !== null && expectedVersions?.includes(base.version) === false)
    throw new ServiceError(713, { detail: "The object has another version." });
  const modelClass = whole.find(className) as ModelClass;
  const fileAttributes = knownFileAttributes(attributes, modelClass, whole);
  const prepared: ResolvedAttributes = { attributes: fileAttributes, links: {}, targets: [] };
  const save: HookedSave = { className, base, restoring: false, input: fileAttributes, prepared };
  const [{ attributes: saved, links }] = ((await hooks?.before(inside, [save])) ?? [prepared]) as [ResolvedAttributes];
  const by = { session: inside.sessionDigest, modelGeneration: whole.generation, className };
  if (base === null) requireMandatory(saved, modelClass);
  const written =
    base === null
      ? await writeNew(inside, { className, attributes: saved, links }, by, whole)
      : await writeChange(
          inside,
          { id: base.id, attributes: saved, links, expectedVersions: null },
          { ...by, visibility: readScope.visibility },
          whole,
        );
  await also(inside.r, written);
  // A hook can have renamed the file.
  if (hooks !== null && isFileClass(whole, className)) await describeFile(inside.r.records, written.id, saved);
  await hooks?.after(inside, [save], [written]);
  return written;
}

async function lockedTarget(inside: SessionContext, whole: Model, input: FileObjectInput) {
  const { base } = await target(inside, whole, input);
  if (base === null) return { base };
  // The version is compared and hooks see the object while no other transaction can write it.
  await inside.r.objects.lock([base.id]);
  return target(inside, whole, { replace: { kind: "id", id: base.id } });
}
