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
      summary: "Shows the classes that the caller may read: their attributes, and what he may do with their objects.",
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
      summary: "Creates a class or replaces its definition, for administrators.",
      description:
        "Additions happen while everybody goes on working. What objects would lose something by, or be wrong by, is refused with 307 and the number of these objects.",
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
      summary:
        "Removes a class that has no objects, nothing below it and nothing that points to it, for administrators.",
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
    summary:
      "Describes the API of the database; with an app key and a session also the classes that the caller may read, and the macros that the caller may execute.",
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
