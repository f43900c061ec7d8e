import { administrationTable, declaredErrors, type Route, routeTable, type UseCases } from "@sallyport/http";

/** A route of the service. */
export interface ContractRoute {
  readonly method: string;
  /** Pattern of the path. */
  readonly path: string;
  readonly needsSession: boolean;
  /** Codes that the route declares. */
  readonly codes: readonly number[];
}

// Only the declarations of the routes are read.
const unused = {} as UseCases;

/** The routes of the contract, without those of administration. */
export const contractRoutes = (): ContractRoute[] => routeTable(unused).map(declared);

/** The routes of administration. */
export const administrationRoutes = (): ContractRoute[] => administrationTable(unused).map(declared);

function declared(route: Route): ContractRoute {
  return {
    method: route.method,
    path: route.path,
    needsSession: route.access === "session",
    codes: declaredErrors(route),
  };
}
