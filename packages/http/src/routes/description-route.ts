import { apiDescription } from "@sallyport/contract";
import type { ListReadableClasses } from "@sallyport/core";
import { DatabaseDescriptions } from "../openapi/database-descriptions.ts";
import { defineRoute, type Route } from "./route.ts";

/** The description of all routes, this one included. */
export function descriptionRoute(listReadableClasses: ListReadableClasses, routes: () => readonly Route[]): Route {
  const descriptions = new DatabaseDescriptions(routes);
  return defineRoute({
    method: "GET",
    path: "/openapi.json",
    standsAlone: true,
    operation: "describeApi",
    summary: "Describes the API of the database; with an app key and a session also the classes that the caller may read.",
    access: "optional",
    isDocument: true,
    data: apiDescription,
    errors: [],
    handle: async (context, { settings }) => {
      if (context.session === null) return { document: descriptions.ofAnybody(context.database, settings) };
      const classes = await listReadableClasses.run(context);
      return { document: descriptions.withClasses(context.database, settings, classes) };
    },
  });
}
