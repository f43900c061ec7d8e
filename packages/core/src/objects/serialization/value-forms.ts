import { type AttributeType, firstCharacters, type JsonValue, type StoredObject } from "@sallyport/storage";
import type { Model } from "../../model/index.ts";
import type { Serialization } from "./serialization.ts";

/** How values that are not links are written. */
export interface ValueForms {
  /** Characters that a text may have; `null` for any. */
  readonly cut: number | null;
  /** Whether `json` attributes are texts of JSON. */
  readonly jsonAsText: boolean;
}

/** The forms that a client asks for; `null` for values as they are. */
export function valueForms({ cut, json }: Serialization): ValueForms | null {
  return cut === undefined && json === undefined ? null : { cut: cut ?? null, jsonAsText: json === "text" };
}

/** The beginning of a text. */
class CutText {
  readonly [name: string]: JsonValue;
  readonly "~Cut": string;
  readonly "~Length": number;

  constructor(text: string, atMost: number) {
    this["~Cut"] = firstCharacters(text, atMost);
    this["~Length"] = charactersOf(text);
  }
}

const surrogatePairs = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

function charactersOf(text: string): number {
  return text.length - (text.match(surrogatePairs)?.length ?? 0);
}

/** A value as it is written. A value that is cut already stays. */
export function formed(value: JsonValue, type: AttributeType, { cut, jsonAsText }: ValueForms): JsonValue {
  if (value === null || value instanceof CutText) return value;
  const text = type === "json" && jsonAsText ? JSON.stringify(value) : value;
  const canBeCut = typeof text === "string" && (type === "string" || (type === "json" && jsonAsText));
  return cut !== null && canBeCut && text.length > cut && charactersOf(text) > cut ? new CutText(text, cut) : text;
}

/** The objects without the rest of long texts, so that a page of large objects takes little memory. */
export function withCutTexts(
  objects: readonly StoredObject[],
  { model, values }: { readonly model: Model; readonly values: ValueForms },
): StoredObject[] {
  return objects.map((object) => {
    const attributes = Object.entries(object.attributes).map(([name, value]) => {
      const type = model.find(object.className)?.attributes.get(name)?.type;
      const written = type === undefined ? value : formed(value, type, values);
      return [name, written instanceof CutText ? written : value] as const;
    });
    return { ...object, attributes: Object.fromEntries(attributes) };
  });
}
