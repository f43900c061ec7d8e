import { checkJsonLimits, listParameters, objectParameters, parseFields } from "@sallyport/contract";
import type { JsonValue, ListedObjects, ListForm, RequestForms, Serialization } from "@sallyport/core";

type Given = Readonly<Record<string, JsonValue | undefined>>;

/** Validates macro arguments with the schemas of the HTTP API. */
export class ContractForms implements RequestForms {
  checkJson(value: JsonValue): void {
    checkJsonLimits(value);
  }

  serialization(given: JsonValue | undefined): Serialization | undefined {
    return given === undefined
      ? undefined
      : parseFields(objectParameters, { serialization: JSON.stringify(given) }, []).serialization;
  }

  list({ where, sort, oids, macro, page, perPage, cursor, count, serialization }: Given): ListForm {
    const parameters = {
      page: numberText(page),
      perPage: numberText(perPage),
      cursor,
      // `exact` is the default of the query parameter, which has no value for it.
      count: count === "exact" ? undefined : count,
      query: JSON.stringify(withoutUndefined({ where, sort, oids, macro })),
      serialization: serialization === undefined ? undefined : JSON.stringify(serialization),
    };
    const {
      cursor: text,
      count: counting,
      query,
      serialization: written,
      ...pages
    } = parseFields(listParameters, withoutUndefined(parameters), []);
    return { ...pages, query, serialization: written, cursor: text, capped: counting === "capped" };
  }

  listed({ list: { "~Elements": elements, ...counts }, next }: ListedObjects): JsonValue {
    return { ...counts, ...(next === null ? {} : { "~Cursor": next }), "~Elements": elements } as JsonValue;
  }
}

function numberText(value: JsonValue | undefined): JsonValue | undefined {
  return typeof value === "number" ? String(value) : value;
}

function withoutUndefined(given: Given): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
