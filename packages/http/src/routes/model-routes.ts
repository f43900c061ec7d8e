import {
  apiDescription,
  changedClass,
  classDefinition,
  modelChangeParameters,
  modelStructure,
  removedClass,
} from "@sallyport/contract";
import type { ModelChange } from "@sallyport/core";
import { DatabaseDescriptions } from "../openapi/open-api-document.ts";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

const path = "/v1/model/structure/{className}";

/** Routes of the classes. `ETag` is the generation of the model, which rises with every change of a class. */
export function modelRoutes({ readStructure, putClass, removeClass }: UseCases): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/model/structure",
      operation: "getStructure",
      summary: "Get the classes",
      description: "Returns the classes that the caller can read, with their attributes and the rights of the caller.",
      access: "session",
      versioned: true,
      data: modelStructure,
      errors: [],
      handle: async (context) => {
        const { classes, generation } = await readStructure.readStructure(context);
        return { data: { classes }, version: generation };
      },
    }),
    defineRoute({
      method: "PUT",
      path,
      changesModel: true,
      operation: "putClass",
      summary: "Create or replace a class",
      description:
        "For administrators only. Additions take effect without downtime. A change that would invalidate or remove stored values fails with 307 and the number of affected objects. So does one that would break a schema of synchronization, unless `force` is `true`.",
      access: "session",
      versioned: true,
      conditional: true,
      body: { schema: classDefinition, faultOrder: [] },
      query: modelChangeParameters,
      data: changedClass,
      errors: [404, 713],
      handle: async (context, { parameter, body, query: { force }, expectedVersions }) => {
        const { structure, ...change } = await putClass.putClass(context, {
          name: parameter("className"),
          definition: body,
          expectedGenerations: expectedVersions,
          force,
        });
        return { data: { ...structure, ...told(change) }, version: change.generation };
      },
    }),
    defineRoute({
      method: "DELETE",
      path,
      changesModel: true,
      operation: "removeClass",
      summary: "Delete a class",
      description:
        "For administrators only. The class must have no objects, subclasses and attributes that reference it. If a schema of synchronization needs it, `force` must be `true`.",
      access: "session",
      versioned: true,
      conditional: true,
      query: modelChangeParameters,
      data: removedClass,
      errors: [404, 713],
      handle: async (context, { parameter, query: { force }, expectedVersions }) => {
        const change = await removeClass.removeClass(context, {
          name: parameter("className"),
          expectedGenerations: expectedVersions,
          force,
        });
        return { data: told(change), version: change.generation };
      },
    }),
  ];
}

/** The schemas of synchronization that a change has broken, if there are any. */
function told({ brokenSchemas }: ModelChange): Partial<Pick<ModelChange, "brokenSchemas">> {
  return brokenSchemas.length === 0 ? {} : { brokenSchemas };
}

/** Route of the API description. It includes all routes. */
export function descriptionRoute(
  { listReadableClasses, listExecutableMacros }: UseCases,
  routes: () => readonly Route[],
): Route {
  const descriptions = new DatabaseDescriptions(routes);
  return defineRoute({
    method: "GET",
    path: "/openapi.json",
    excludedFromMulti: true,
    operation: "describeApi",
    summary: "Get the API description",
    description:
      "Returns this document. With an app key and a session, it includes the classes that the caller can read and the macros that the caller can execute.",
    access: "optional",
    compressed: true,
    isDocument: true,
    data: apiDescription,
    errors: [],
    handle: async (context, { settings }) => {
      if (context.session === null) return { document: descriptions.of(context.database, settings) };
      const [classes, macros] = [
        await listReadableClasses.listReadableClasses(context),
        await listExecutableMacros.listExecutableMacros(context),
      ];
      return { document: descriptions.of(context.database, settings, { classes, macros }) };
    },
  });
}
