import { apiDescription, classDefinition, classStructure, emptyResponse, modelStructure } from "@sallyport/contract";
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
        "For administrators only. Additions take effect without downtime. A change that would invalidate or remove stored values fails with 307 and the number of affected objects.",
      access: "session",
      versioned: true,
      conditional: true,
      body: { schema: classDefinition, faultOrder: [] },
      data: classStructure,
      errors: [404, 713],
      handle: async (context, { parameter, body, expectedVersions }) => {
        const { structure, generation } = await putClass.putClass(context, {
          name: parameter("className"),
          definition: body,
          expectedGenerations: expectedVersions,
        });
        return { data: structure, version: generation };
      },
    }),
    defineRoute({
      method: "DELETE",
      path,
      changesModel: true,
      operation: "removeClass",
      summary: "Delete a class",
      description:
        "For administrators only. The class must have no objects, subclasses and attributes that reference it.",
      access: "session",
      versioned: true,
      conditional: true,
      data: emptyResponse,
      errors: [404, 713],
      handle: async (context, { parameter, expectedVersions }) => {
        const { generation } = await removeClass.removeClass(context, {
          name: parameter("className"),
          expectedGenerations: expectedVersions,
        });
        return { data: {}, version: generation };
      },
    }),
  ];
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
