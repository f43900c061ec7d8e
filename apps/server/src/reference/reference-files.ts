import { configurationReference } from "./configuration-reference.ts";
import { declaredRoutes } from "./declared-routes.ts";
import { errorsReference } from "./errors-reference.ts";
import { openApiReference } from "./open-api-reference.ts";

/** The generated reference: the text of each file by its name. */
export function referenceFiles(): ReadonlyMap<string, string> {
  const routes = declaredRoutes();
  return new Map([
    ["configuration.md", configurationReference()],
    ["errors.md", errorsReference(routes)],
    ["openapi.json", openApiReference(routes)],
  ]);
}
