import {
  type AttributeIndex,
  type Filter,
  isObjectId,
  type JsonValue,
  type ObjectId,
  type Repositories,
  seesAll,
  type Storage,
  type StoredObject,
} from "@sallyport/storage";
import { declaredIndexes, type Model } from "../model/index.ts";
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
      const ids = await findByValues(r, page, indexes);
      for (const { id } of page.filter((object) => !ids.has(object.id))) {
        for (const index of indexes) {
          const finding = await lookUpAgain(r, id, index);
          if (finding !== null) yield { invariant: "values", finding };
        }
      }
    }
  }
}

/** Looks for an object by the value of one attribute. The object can have changed since its page was read. */
function lookUpAgain(r: Repositories, id: ObjectId, index: AttributeIndex): Promise<string | null> {
  return atOneVersion(
    () => liveObject(r, id),
    async (object) => {
      const ids = await findByValues(r, [object], [index]);
      return ids.has(id) ? null : `The object ${id} is not found by its value of ${index.attribute}.`;
    },
  );
}

/** Ids of those of the objects that a query for their values of the indexed attributes finds. All are of one class. */
async function findByValues(
  { objects }: Repositories,
  expected: readonly StoredObject[],
  indexes: readonly AttributeIndex[],
): Promise<ReadonlySet<ObjectId>> {
  const classes = [...new Set(expected.map(({ className }) => className))];
  const filters = expected.map(
    ({ id, attributes }): Filter => ({
      kind: "all",
      filters: [isOneOf("~ObjectID", "id", id), ...indexes.flatMap((index) => valueFilters(index, attributes))],
    }),
  );
  const matches = await objects.match({ classes, filter: { kind: "any", filters } }, seesAll, expected.length);
  return new Set(matches.map(({ id }) => id));
}

/** The filter for the value of an attribute. None for a value of another type and for a link without target: no index has them. */
function valueFilters({ attribute, type }: AttributeIndex, attributes: StoredObject["attributes"]): Filter[] {
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
