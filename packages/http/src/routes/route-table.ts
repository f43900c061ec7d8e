import { serviceResponse } from "@sallyport/contract";
import type { TagName } from "../openapi/open-api.ts";
import { departureRoutes, type DepartureUseCases } from "./departure-routes.ts";
import { lockRoutes, type LockUseCases, readersRoutes, type ReadersUseCases } from "./object-access-routes.ts";
import { macroRoutes, type MacroUseCases } from "./macro-routes.ts";
import { descriptionRoute, type DescriptionUseCases, modelRoutes, type ModelUseCases } from "./model-routes.ts";
import { multiRoutes, type MultiUseCases } from "./multi-routes.ts";
import { objectRoutes, type ObjectUseCases, writeRoutes, type WriteUseCases } from "./object-routes.ts";
import { passwordRoutes, type PasswordUseCases } from "./password-routes.ts";
import { providerRoutes, type ProviderUseCases } from "./provider-routes.ts";
import { defineRoute, type Route } from "./route.ts";
import { type FactorUseCases, secondFactorRoutes } from "./second-factor-routes.ts";
import { customUserRoutes, type CustomUserUseCases, sessionRoutes, type SessionUseCases } from "./session-routes.ts";
import { secureRoutes, type SecureUseCases, tokenRoutes, type TokenUseCases } from "./token-routes.ts";

/** What the routes call; the composition root makes them. */
export interface UseCases
  extends CustomUserUseCases,
    DepartureUseCases,
    MacroUseCases,
    ModelUseCases,
    DescriptionUseCases,
    MultiUseCases,
    LockUseCases,
    ReadersUseCases,
    WriteUseCases,
    ObjectUseCases,
    PasswordUseCases,
    ProviderUseCases,
    FactorUseCases,
    SecureUseCases,
    SessionUseCases,
    TokenUseCases {}

/** Every route of a database, each with the tag of its group. */
export function routeTable(useCases: UseCases): Route[] {
  const description = descriptionRoute(useCases, () => routes);
  const single = [
    ...tagged("Service", serviceRoutes()),
    ...tagged("Sessions", [...sessionRoutes(useCases), ...tokenRoutes(useCases), ...secureRoutes(useCases)]),
    ...tagged("Custom users", customUserRoutes(useCases)),
    ...tagged("Passwords", passwordRoutes(useCases)),
    ...tagged("Second factors", secondFactorRoutes(useCases)),
    ...tagged("Providers", providerRoutes(useCases)),
    ...tagged("Objects", [
      ...objectRoutes(useCases),
      ...writeRoutes(useCases),
      ...departureRoutes(useCases),
      ...readersRoutes(useCases),
      ...lockRoutes(useCases),
    ]),
    ...tagged("Macros", macroRoutes(useCases)),
    ...tagged("Model", modelRoutes(useCases)),
    ...tagged("Service", [description]),
  ];
  const routes = [...single, ...tagged("Service", multiRoutes(single, useCases))];
  return routes;
}

function tagged(tag: TagName, routes: readonly Route[]): Route[] {
  return routes.map((route) => ({ ...route, tag }));
}

/** What anybody may ask. */
function serviceRoutes(): Route[] {
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
