import { serviceResponse } from "@sallyport/contract";
import { defineRoute, type Route } from "./route.ts";

/** What anybody may ask. */
export function serviceRoutes(): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/_CheckService",
      operation: "checkService",
      summary: "Tells name and version of the service, if the database can be used.",
      access: "public",
      data: serviceResponse,
      errors: [],
      handle: async (_context, { settings: { applicationName, applicationVersion } }) => ({
        data: { applicationName, applicationVersion },
      }),
    }),
  ];
}
