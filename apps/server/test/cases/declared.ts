import { administrationOperations, databaseOperations, operationsOf } from "@sallyport/contract";
import { openApiDocument } from "@sallyport/http";
import { ContractDescription } from "@sallyport/testing/acceptance";

const documents = [databaseOperations, administrationOperations].map((groups) =>
  openApiDocument({ operations: operationsOf(groups), title: "", version: "", basePath: "" }),
);

/** The declarations of all routes. */
export const description = new ContractDescription(documents, ["second", "unconfigured"]);

/** Every answer must be declared by its route. */
export function checkDeclared(method: string, path: string, status: number, code: number): void {
  expect({ path, declared: description.declares(method, path, status, code) }).toEqual({ path, declared: true });
}
