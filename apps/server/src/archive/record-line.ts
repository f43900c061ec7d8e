import { type ArchiveRecord, canonicalJson, type JsonValue } from "@sallyport/core";

/** The line of a record: canonical JSON, with what the attributes of objects are as they come. */
export function recordLine(record: ArchiveRecord): string {
  if (record.section === "objects") return `{${identity(record)}, ${state(record)}, ${attributesOf(record)}}\n`;
  if (record.section === "departures") {
    const { leader, deletedBy } = record;
    return `{${identity(record)}, "leader": "${leader}", ${state(record)}, "deletedBy": ${JSON.stringify(deletedBy)}, ${attributesOf(record)}}\n`;
  }
  // The lines before it say of which section it is.
  return `${canonicalJson({ ...record, section: undefined } as unknown as JsonValue)}\n`;
}

type ObjectRecord = Extract<ArchiveRecord, { readonly stamp: number }>;

function identity({ id, uuid, stamp }: ObjectRecord): string {
  return `"id": "${id}", "uuid": "${uuid}", "stamp": ${stamp}`;
}

function state({ readers, version, storedAt, className }: ObjectRecord): string {
  const shown = `"readers": ${readers === null ? "null" : canonicalJson(readers)}, "version": ${version}, "storedAt": ${storedAt}`;
  return `${shown}, "className": ${JSON.stringify(className)}`;
}

function attributesOf({ attributes }: ObjectRecord): string {
  return `"attributes": ${attributes ?? "null"}`;
}
