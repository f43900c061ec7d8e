import {
  administrationOperations,
  databaseOperations,
  declaredErrors,
  type Operation,
  operationsOf,
} from "@sallyport/contract";

/** A route of the service. */
export interface ContractRoute {
  readonly method: string;
  /** Pattern of the path. */
  readonly path: string;
  readonly needsSession: boolean;
  /** Codes that the route declares. */
  readonly codes: readonly number[];
}

/** The routes of the contract, without those of administration. */
export const contractRoutes = (): ContractRoute[] => operationsOf(databaseOperations).map(declared);

/** The routes of administration. */
export const administrationRoutes = (): ContractRoute[] => operationsOf(administrationOperations).map(declared);

function declared(operation: Operation): ContractRoute {
  return {
    method: operation.method,
    path: operation.path,
    needsSession: operation.access === "session",
    codes: declaredErrors(operation),
  };
}
