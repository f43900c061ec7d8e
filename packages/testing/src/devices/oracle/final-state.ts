import type { SallyportClient } from "@sallyport/client";
import { SallyportError } from "@sallyport/client";
import type { Device } from "../device.ts";
import type { Operator } from "../operator.ts";
import { attributesOf, classNames, plainName, references, wireName } from "../scene.ts";
import type { ClassName, SchemaChange } from "../scenario.ts";
import { isReadable } from "./access-model.ts";
import { canonical, same, type Write } from "./history.ts";
import type { Answer, ViolationKind } from "./witness.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** An acknowledged write of a device that a restore has lost while the device held it. */
export interface Debt {
  readonly device: number;
  readonly uuid: string;
  readonly field: string;
  readonly value: unknown;
  readonly moment: number;
}

export type Complaint = (kind: ViolationKind, message: string) => void;

/** The objects of a class for a user, by UUID, with these attributes. */
export async function readObjects(
  client: SallyportClient,
  className: ClassName,
  attributes: readonly string[],
  without: string | null,
): Promise<Map<string, Fields>> {
  const fields = ["~UUID", ...attributes.map((name) => (references.has(name) ? `${name}.~UUID` : name))];
  const objects = new Map<string, Fields>();
  const options = {
    perPage: 1_000,
    serialization: { type: "custom", fields },
    ...(without === null ? {} : { query: { where: { City: { $ne: without } } } }),
  } as const;
  try {
    for await (const object of client.objects<Record<string, unknown>>(wireName(className), options)) {
      if (object["~ClassName"] !== wireName(className)) continue;
      objects.set(object["~UUID"], Object.fromEntries(attributes.map((name) => [name, plain(object[name])])));
    }
  } catch (error) {
    // The user cannot read the class.
    if (!(error instanceof SallyportError) || error.httpStatus >= 500) throw error;
  }
  return objects;
}

function plain(value: unknown): unknown {
  return typeof value === "object" && value !== null && "~Elements" in value
    ? canonical(value["~Elements"])
    : canonical(value);
}

/** Classes of a schema with its fields. */
export function coveredBy({ classes, fields }: Required<SchemaChange>): Map<ClassName, readonly string[]> {
  const covered = new Map<ClassName, readonly string[]>();
  for (const className of classNames) {
    const base = className === "KeyCustomer" ? "Customer" : className;
    if (!classes.includes(className) && !classes.includes(base)) continue;
    const all = attributesOf[className];
    covered.set(className, base === "Customer" && fields !== null ? all.filter((name) => fields.includes(name)) : all);
  }
  return covered;
}

/** Compares a device with what its user can read. */
export async function compareDevice(device: Device, { access, schema }: Operator, nameOf: NameOf, complain: Complaint) {
  const client = await device.client();
  const expected = new Map<string, Fields>();
  for (const [className, fields] of coveredBy(schema)) {
    const readable = fields.filter((name) => isReadable(access.current, device.user, name));
    for (const [uuid, object] of await readObjects(client, className, readable, schema.without))
      expected.set(uuid, object);
  }
  for (const { uuid, local, className } of await device.entries()) {
    const object = expected.get(uuid);
    expected.delete(uuid);
    // An edit that the server can accept later, and has named as such.
    if (device.postponed.has(uuid)) continue;
    if (local === null && object === undefined) continue;
    const name = `${plainName(className)} ${nameOf(uuid)}`;
    if (object === undefined) complain("difference", `holds ${name}, which its user does not see: ${text(local)}`);
    else if (local === null) complain("difference", `has removed ${name}, which the server has: ${text(object)}`);
    else if (Object.keys({ ...object, ...local }).some((field) => !same(local[field], object[field])))
      complain("difference", `holds ${name} as ${text(local)}, and not as ${text(object)}`);
    else if (Object.keys(local).some((field) => !Object.hasOwn(object, field)))
      complain("difference", `holds fields of ${name} that its user does not see: ${text(local)}`);
  }
  for (const [uuid, object] of expected) complain("difference", `lacks ${nameOf(uuid)}: ${text(object)}`);
}

/** Compares the database with the confirmed writes. */
export async function compareHistory(
  client: SallyportClient,
  { history, access }: Operator,
  nameOf: NameOf,
  complain: Complaint,
) {
  const stored = new Map<string, Fields>();
  for (const className of classNames)
    for (const [uuid, object] of await readObjects(client, className, attributesOf[className], null))
      stored.set(uuid, object);
  const wasDeleted = (uuid: unknown): boolean =>
    typeof uuid === "string" &&
    (history.of(uuid).some(({ fields }) => fields === null) || history.isUncertain(uuid, null));
  for (const uuid of history.objects()) {
    const { fields, isDeleted } = folded(history.of(uuid));
    for (const write of history.of(uuid))
      for (const field of history.unreportedConflicts(write).filter((each) => !references.has(each)))
        complain("conflict", `Version ${write.version} of ${nameOf(uuid)} overwrote ${field} without a report`);
    const object = stored.get(uuid);
    const name = nameOf(uuid);
    if (object === undefined) {
      // Invoices are deleted with their customer, at any time before a later change of the reference.
      const customers = history.of(uuid).map((write) => canonical(write.fields?.["Customer"]));
      if (!isDeleted && !wasDeleted(uuid) && !customers.some(wasDeleted))
        complain("lost write", `${name} does not exist: ${text(fields)}`);
      continue;
    }
    if (isDeleted) complain("lost write", `${name} exists, although its deletion was confirmed`);
    for (const [field, value] of Object.entries(fields)) {
      const actual = object[field];
      if (same(actual, value) || history.isUncertain(uuid, field, actual)) continue;
      const targets = [canonical(value)].flat();
      if (references.has(field) && targets.some((target) => wasDeleted(target) || isGone(target, stored, access)))
        continue;
      complain("lost write", `${name} has ${field} ${text(actual)}, although ${text(value)} was confirmed later`);
    }
  }
}

function isGone(target: unknown, stored: ReadonlyMap<string, Fields>, access: Operator["access"]): boolean {
  return typeof target === "string" && !stored.has(target) && access.classOf(target) !== undefined;
}

function folded(writes: readonly Write[]): { readonly fields: Fields; readonly isDeleted: boolean } {
  let fields: Fields = {};
  for (const write of writes) fields = { ...fields, ...write.fields };
  return { fields, isDeleted: writes.at(-1)?.fields === null };
}

type NameOf = (uuid: string) => string;

interface Known {
  readonly number: number;
  readonly answers: readonly Answer[];
  readonly debts: readonly Debt[];
  readonly nameOf: NameOf;
}

/** Each value that a user typed is confirmed, waits, was replaced by the user, or was given back to the application. */
export async function accountForEdits(
  device: Device,
  { number, answers, debts, nameOf }: Known,
  complain: Complaint,
): Promise<void> {
  const { edits, notices } = device;
  const own = answers.filter((answer) => answer.device === number);
  const waiting = new Map((await device.entries()).map(({ uuid, pending }) => [uuid, pending]));
  const hasValue = (fields: Fields, field: string, value: unknown) =>
    Object.hasOwn(fields, field) && same(fields[field], value);
  const isGivenBack = (uuid: string, field: string, value: unknown) =>
    [...notices.refused, ...notices.takenBack].some(
      (notice) => notice.uuid === uuid && hasValue(notice.fields, field, value),
    ) || notices.conflicts.some((notice) => notice.uuid === uuid && notice.field === field && same(notice.mine, value));
  const isRemovalRefused = (uuid: string) =>
    notices.refused.some((notice) => notice.uuid === uuid && notice.op === "delete");
  const isReplaced = (uuid: string, field: string, moment: number) =>
    edits.some(
      (edit) =>
        edit.uuid === uuid &&
        edit.moment > moment &&
        (edit.fields === null ? !isRemovalRefused(uuid) : Object.hasOwn(edit.fields, field)),
    );
  const isConfirmed = (uuid: string, field: string, value: unknown, since: number) =>
    own.some(
      (answer) =>
        answer.uuid === uuid && answer.code === 0 && answer.moment >= since && hasValue(answer.fields, field, value),
    );
  const isKept = (uuid: string, field: string, value: unknown, since: number) =>
    isConfirmed(uuid, field, value, since) ||
    isReplaced(uuid, field, since) ||
    waiting.get(uuid)?.some(({ fields }) => hasValue(fields, field, value)) === true ||
    isGivenBack(uuid, field, value);
  for (const { uuid, fields, moment } of edits)
    for (const [field, value] of Object.entries(fields ?? {}))
      if (!isKept(uuid, field, value, moment))
        complain("lost edit", `has lost the edit of ${nameOf(uuid)}: ${field} ${text(value)}`);
  for (const { uuid, field, value, moment, device: debtor } of debts)
    if (debtor === number && !isKept(uuid, field, value, moment))
      complain("lost edit", `does not report that a restore took back ${field} ${text(value)} of ${nameOf(uuid)}`);
  for (const { uuid, arrived, conflicts, code } of own) {
    if (!arrived) continue;
    for (const field of conflicts) {
      const isKnown = notices.conflicts.some((notice) => notice.uuid === uuid && notice.field === field);
      if (isKnown || notices.refused.some((notice) => notice.uuid === uuid && Object.hasOwn(notice.fields, field)))
        continue;
      complain("conflict", `does not report the conflict in ${field} of ${nameOf(uuid)} (code ${code})`);
    }
  }
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? "no value";
}
