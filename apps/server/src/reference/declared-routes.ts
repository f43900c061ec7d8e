import { type Route, routeTable, type UseCases } from "@sallyport/http";

/** The routes as they are declared; they cannot be called. */
export function declaredRoutes(): Route[] {
  // A declaration does nothing with the use cases but keep them for a call.
  return routeTable({} as UseCases);
}
