import {
  databaseOperations,
  type descriptionOperations,
  type modelOperations,
  operationsOf,
} from "@sallyport/contract";
import type { ModelChange } from "@sallyport/core";
import { DatabaseDescriptions } from "../openapi/open-api-document.ts";
import type { Handlers } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** The classes. */
export const modelHandlers = ({
  readStructure,
  putClass,
  removeClass,
}: UseCases): Handlers<typeof modelOperations> => ({
  getStructure: async (context) => {
    const { classes, generation } = await readStructure.readStructure(context);
    return { data: { classes }, version: generation };
  },
  putClass: async (context, { parameter, body, query: { force }, expectedVersions }) => {
    const { structure, ...change } = await putClass.putClass(context, {
      name: parameter("className"),
      definition: body,
      expectedGenerations: expectedVersions,
      force,
    });
    return { data: { ...structure, ...told(change) }, version: change.generation };
  },
  removeClass: async (context, { parameter, query: { force }, expectedVersions }) => {
    const change = await removeClass.removeClass(context, {
      name: parameter("className"),
      expectedGenerations: expectedVersions,
      force,
    });
    return { data: told(change), version: change.generation };
  },
});

/** The schemas of synchronization that a change has broken, if there are any. */
function told({ brokenSchemas }: ModelChange): Partial<Pick<ModelChange, "brokenSchemas">> {
  return brokenSchemas.length === 0 ? {} : { brokenSchemas };
}

/** The API description. */
export const descriptionHandlers = ({
  listReadableClasses,
  listExecutableMacros,
}: UseCases): Handlers<typeof descriptionOperations> => {
  const descriptions = new DatabaseDescriptions(operationsOf(databaseOperations));
  return {
    describeApi: async (context, { settings }) => {
      if (context.session === null) return { document: descriptions.of(context.database, settings) };
      const [classes, macros] = [
        await listReadableClasses.listReadableClasses(context),
        await listExecutableMacros.listExecutableMacros(context),
      ];
      return { document: descriptions.of(context.database, settings, { classes, macros }) };
    },
  };
};
