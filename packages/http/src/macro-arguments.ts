import { checkJsonLimits, checkListLimits, listRequest, objectParameters, parseFields } from "@sallyport/contract";
import type { JsonValue } from "@sallyport/storage";
import type { ListedObjects, ListForm, RequestForms, Serialization } from "@sallyport/core";

type Members = Readonly<Record<string, JsonValue | undefined>>;

/** Validates macro arguments with the schemas of the HTTP API. */
export class MacroArguments implements RequestForms {
  checkJson(value: JsonValue): void {
    checkJsonLimits(value);
  }

  serialization(value: JsonValue | undefined): Serialization | undefined {
    return value === undefined
      ? undefined
      : parseFields(objectParameters, { serialization: JSON.stringify(value) }, []).serialization;
  }

  list({ where, sort, oids, macro, count, ...members }: Members): ListForm {
    // `exact` is the default of a list, which has no value for it.
    const counted = { ...members, count: count === "exact" ? undefined : count };
    const list = { ...withoutUndefined(counted), query: withoutUndefined({ where, sort, oids, macro }) };
    checkListLimits(list);
    const { query, cursor, ...form } = parseFields(listRequest, list, []);
    return { ...form, query, cursor };
  }

  listed({ list: { "~Elements": elements, ...counts }, next }: ListedObjects): JsonValue {
    return { ...counts, ...(next === null ? {} : { "~Cursor": next }), "~Elements": elements } as JsonValue;
  }
}

function withoutUndefined(members: Members): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
