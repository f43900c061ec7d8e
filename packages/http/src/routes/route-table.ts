import { objectRoutes } from "./object-routes.ts";
import { secureRoutes } from "./secure-routes.ts";
import { tokenRoutes } from "./token-routes.ts";
import type { Route } from "./route.ts";
import { serviceRoutes } from "./service-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import type { UseCases } from "./use-cases.ts";

/** Every route that answers in an envelope. */
export function routeTable(useCases: UseCases): Route[] {
  return [...serviceRoutes(), ...sessionRoutes(useCases), ...tokenRoutes(useCases), ...secureRoutes(useCases), ...objectRoutes(useCases)];
}
