import {
  type AttributeIndex,
  type AttributeType,
  isIndexable,
  type NewObject,
  type ObjectId,
  type ObjectPage,
  type Position,
  type Storage,
} from "@sallyport/storage";
import { nonexistentId, uuidOf, withIds, withNames } from "../object-names.ts";
import type { QueryAnswers, QueryScenario, ScenarioObject } from "./query-scenario.ts";
import { attributeTypes } from "./random-objects.ts";

/** Above the number of objects and pages, so that an adapter that repeats itself still terminates. */
const maxResults = 100;

/** Creates the objects of a scenario in an empty storage. Returns their ids. */
export async function createSample(
  storage: Storage,
  { objects, indexed }: Pick<QueryScenario, "objects" | "indexed">,
): Promise<ObjectId[]> {
  const { repositories: r } = storage;
  const created = await r.objects.insert(
    objects.map(
      (object, number): NewObject => ({ ...object, attributes: attributesOf(object, false), uuid: uuidOf(number) }),
    ),
  );
  const ids = created.map(({ id }) => id);
  // References need ids. All objects are updated, so that the update time sets none apart.
  const changes = objects.map((object, number) => ({
    id: ids[number] ?? nonexistentId,
    attributes: withIds(attributesOf(object, true), ids),
    links: {},
    expectedVersions: null,
  }));
  if (changes.length > 0) await r.objects.update(changes, { session: null });
  if (indexed) await storage.alignIndexes([...indexesOf("Item"), ...indexesOf("Thing")]);
  return ids;
}

/** Runs the query of a scenario on existing objects. */
export async function runQuery(
  { repositories: { objects } }: Storage,
  ids: readonly ObjectId[],
  scenario: Pick<QueryScenario, "query" | "visibility" | "limit">,
): Promise<QueryAnswers> {
  const { limit } = scenario;
  const query = withIds(scenario.query, ids);
  const { classes, principals } = scenario.visibility;
  const visibility = { classes: classes && new Set(classes), principals: principals && new Set(principals) };
  const idsOf = (page: ObjectPage) => page.objects.map(({ id }) => id);
  const whole = idsOf(await objects.find(query, visibility, { offset: 0, limit: maxResults }));
  const pages: ObjectId[] = [];
  for (let offset = 0; offset < whole.length; offset += limit)
    pages.push(...idsOf(await objects.find(query, visibility, { offset, limit })));
  const afterPositions: ObjectId[] = [];
  let page = await objects.find(query, visibility, { offset: 0, limit });
  for (let read = 0; page.last !== null && read < maxResults; read += 1) {
    afterPositions.push(...idsOf(page));
    const after: Position = page.last;
    page = await objects.find(query, visibility, { after, limit });
  }
  const counts = [await objects.count(query, visibility), await objects.count(query, visibility, limit)] as const;
  return withNames({ whole, pages, afterPositions, counts }, ids);
}

const references: ReadonlySet<AttributeType> = new Set(["reference", "collection", "file"]);

/** The reference attributes of an object, or all others. */
function attributesOf({ className, attributes }: ScenarioObject, areReferences: boolean) {
  const types = attributeTypes[className];
  const isReference = (name: string) => types[name] !== undefined && references.has(types[name]);
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isReference(name) === areReferences));
}

function indexesOf(className: ScenarioObject["className"]): AttributeIndex[] {
  return Object.entries(attributeTypes[className]).flatMap(([attribute, type]) =>
    isIndexable(type) ? [{ className, attribute, type }] : [],
  );
}
