import { putClass, type ClassServices } from "../classes/index.ts";
import { type ClassDefinition, ServiceError } from "@sallyport/storage";
import type { RightRequest } from "../model/index.ts";
import { requestModel, type Uses } from "../request/index.ts";
import type { AdministratorContext } from "./administrators.ts";
import type { Versioned } from "./replace-if-match.ts";

type RightsOfClass = Pick<ClassDefinition, "name" | "base" | "rights">;

/** The rights of all classes by name. The version is the generation of the model. */
export async function listClassRights(context: AdministratorContext): Promise<Versioned<RightsOfClass[]>> {
  const model = await requestModel(context);
  const content = [...model.all()]
    .map(({ definition: { name, base, rights } }) => ({ name, base, rights }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { content, version: model.generation };
}

export interface PutClassRightsInput {
  readonly name: string;
  readonly rights: readonly RightRequest[];
  /** Accepted generations of the model. */
  readonly expectedVersions: readonly number[];
}

/** Replaces the rights of a class and keeps the rest of its definition. Unknown class: 304. Unknown group: 307. */
export async function putClassRights(
  context: AdministratorContext & Uses<ClassServices>,
  { name, rights, expectedVersions }: PutClassRightsInput,
): Promise<Versioned<RightsOfClass>> {
  const model = await requestModel(context);
  const found = model.find(name)?.definition;
  if (found === undefined) throw new ServiceError(304, { detail: "There is no class of this name." });
  // A definition of an older model would undo a change of attributes.
  const expectedGenerations = expectedVersions.filter((version) => version === model.generation);
  const definition = { ...found, rights };
  const { structure, generation } = await putClass(context, { name, definition, expectedGenerations });
  return { content: { name, base: found.base, rights: structure.rights ?? [] }, version: generation };
}
