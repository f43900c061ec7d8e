import { readFileSync } from "node:fs";
import { ContractDescription } from "@sallyport/testing/acceptance";

const documents = ["openapi.json", "administration-openapi.json"].map((name) =>
  JSON.parse(readFileSync(new URL(`../../../../docs/reference/${name}`, import.meta.url), "utf8")),
);

/** The published API description of all routes. */
export const description = new ContractDescription(documents, ["second", "unconfigured"]);

/** Every answer must be declared by its route. */
export function checkDeclared(method: string, path: string, status: number, code: number): void {
  expect({ path, declared: description.declares(method, path, status, code) }).toEqual({ path, declared: true });
}
