import {
  databaseOperations,
  type descriptionOperations,
  type modelOperations,
  operationsOf,
} from "@sallyport/contract";
import {
  type ModelChange,
  readStructure,
  putClass,
  removeClass,
  listReadableClasses,
  listExecutableMacros,
} from "@sallyport/core";
import { DatabaseDescriptions } from "../openapi/open-api-document.ts";
import type { Handlers } from "../route.ts";

/** The classes. */
export const modelHandlers: Handlers<typeof modelOperations> = {
  getStructure: async (context) => {
    const { classes, generation } = await readStructure(context);
    return { data: { classes }, version: generation };
  },
  putClass: async (context, { parameter, body, query: { force }, expectedVersions }) => {
    const { structure, ...change } = await putClass(context, {
      name: parameter("className"),
      definition: body,
      expectedGenerations: expectedVersions,
      force,
    });
    return { data: { ...structure, ...told(change) }, version: change.generation };
  },
  removeClass: async (context, { parameter, query: { force }, expectedVersions }) => {
    const change = await removeClass(context, {
      name: parameter("className"),
      expectedGenerations: expectedVersions,
      force,
    });
    return { data: told(change), version: change.generation };
  },
};

/** The schemas of synchronization that a change has broken, if there are any. */
function told({ brokenSchemas }: ModelChange): Partial<Pick<ModelChange, "brokenSchemas">> {
  return brokenSchemas.length === 0 ? {} : { brokenSchemas };
}

const descriptions = new DatabaseDescriptions(operationsOf(databaseOperations));

/** The API description. */
export const descriptionHandlers: Handlers<typeof descriptionOperations> = {
  describeApi: async (context, { settings }) => {
    if (context.session === null) return { document: descriptions.of(context.database, settings) };
    const [classes, macros] = [await listReadableClasses(context), await listExecutableMacros(context)];
    return { document: descriptions.of(context.database, settings, { classes, macros }) };
  },
};
