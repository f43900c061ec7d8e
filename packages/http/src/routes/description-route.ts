import { apiDescription } from "@sallyport/contract";
import { DatabaseDescriptions } from "../openapi/database-descriptions.ts";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

type DescriptionUseCases = Pick<UseCases, "listReadableClasses" | "listExecutableMacros">;

/** The description of all routes, this one included. */
export function descriptionRoute(
  { listReadableClasses, listExecutableMacros }: DescriptionUseCases,
  routes: () => readonly Route[],
): Route {
  const descriptions = new DatabaseDescriptions(routes);
  return defineRoute({
    method: "GET",
    path: "/openapi.json",
    standsAlone: true,
    operation: "describeApi",
    summary:
      "Describes the API of the database; with an app key and a session also the classes that the caller may read, and the macros that the caller may execute.",
    access: "optional",
    isDocument: true,
    data: apiDescription,
    errors: [],
    handle: async (context, { settings }) => {
      if (context.session === null) return { document: descriptions.ofAnybody(context.database, settings) };
      const [classes, macros] = [await listReadableClasses.run(context), await listExecutableMacros.run(context)];
      return { document: descriptions.ofCaller(context.database, settings, { classes, macros }) };
    },
  });
}
