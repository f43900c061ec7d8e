import { declaredIndexes, type Model } from "../model/index.ts";
import {
  type AttributeIndex,
  type Filter,
  isObjectId,
  type JsonValue,
  type Repositories,
  seesAll,
  type Storage,
  type StoredObject,
} from "@sallyport/storage";
import { liveObject, objectPages } from "./object-pages.ts";
import { atOneVersion } from "./at-one-version.ts";
import type { Violation } from "./violation.ts";

/** Looks for objects by the values of their indexed attributes, which storage can keep beside the objects. */
export async function* verifyValues(
  storage: Pick<Storage, "repositories" | "readyIndexes">,
  model: Model,
): AsyncGenerator<Violation, void, undefined> {
  const { repositories: r } = storage;
  const declared = declaredIndexes(model);
  const ready = declared.length === 0 ? [] : await storage.readyIndexes(declared);
  for (const className of new Set(ready.map((index) => index.className))) {
    const indexes = ready.filter((index) => index.className === className);
    for await (const page of objectPages(r, [className])) {
      const found = await matching(r, page, indexes);
      for (const { id } of page.filter((object) => !found.has(object.id))) {
        for (const index of indexes) {
          const finding = await atOneVersion(
            () => liveObject(r, id),
            async (object) =>
              (await matching(r, [object], [index])).has(id)
                ? null
                : `The object ${id} is not found by its value of ${index.attribute}.`,
          );
          if (finding !== null) yield { invariant: "values", finding };
        }
      }
    }
  }
}

/** Those of the objects of one class that have the values by the indexes. */
async function matching(
  { objects }: Repositories,
  among: readonly StoredObject[],
  indexes: readonly AttributeIndex[],
): Promise<ReadonlySet<string>> {
  const classes = [...new Set(among.map(({ className }) => className))];
  const filters = among.map(
    ({ id, attributes }): Filter => ({
      kind: "all",
      filters: [isOneOf("~ObjectID", "id", id), ...indexes.flatMap((index) => hasValue(index, attributes))],
    }),
  );
  const found = await objects.match({ classes, filter: { kind: "any", filters } }, seesAll, among.length);
  return new Set(found.map(({ id }) => id));
}

/** The condition that an attribute has its value; none for a value that its type does not have, and for no target. */
function hasValue({ attribute, type }: AttributeIndex, attributes: StoredObject["attributes"]): Filter[] {
  const value = (Object.hasOwn(attributes, attribute) ? attributes[attribute] : null) ?? null;
  const isLink = type === "reference" || type === "file";
  if (value === null)
    return isLink ? [] : [{ kind: "empty", path: { hops: [], leaf: attribute, type, indexed: true } }];
  const fits = isLink
    ? typeof value === "string" && isObjectId(value)
    : typeof value === (type === "date" ? "string" : type);
  return fits ? [isOneOf(attribute, type, value)] : [];
}

function isOneOf(leaf: string, type: AttributeIndex["type"] | "id", value: JsonValue): Filter {
  return { kind: "oneOf", path: { hops: [], leaf, type }, values: [value] };
}
