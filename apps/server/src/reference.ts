import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { administrationOperations, databaseOperations, type Operation, operationsOf } from "@sallyport/contract";
import { type OpenApiDocument, openApiDocument } from "@sallyport/http";
import { version } from "./composition/version.ts";
import { apiReference } from "./reference/api.ts";
import { configurationReference } from "./reference/configuration.ts";
import { errorPages, errorsReference } from "./reference/errors.ts";
import { generatedNote } from "./reference/markdown.ts";

/** Names of the files in a directory that are missing or outdated. */
export function checkReference(directory: string): string[] {
  return [...referenceFiles()].flatMap(([name, text]) => (contentOf(join(directory, name)) === text ? [] : name));
}

function contentOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

/** Writes the reference to a directory, which is created if needed. */
export function writeReference(directory: string): void {
  for (const [name, text] of referenceFiles()) {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The generated reference: text by file name. */
export function referenceFiles(): ReadonlyMap<string, string> {
  const describe = (title: string, operations: readonly Operation[]) =>
    openApiDocument({ operations, title, version, basePath: "" });
  const [ofDatabase, ofAdministration] = [operationsOf(databaseOperations), operationsOf(administrationOperations)];
  const description = describe("Sallyport", ofDatabase);
  const administration = describe("Sallyport administration", ofAdministration);
  return new Map([
    ["administration-api.md", apiReference(administration, administrationPage)],
    ["administration-openapi.json", openApiReference(administration)],
    ["api.md", apiReference(description)],
    ["configuration.md", configurationReference()],
    ["errors.md", errorsReference()],
    ...errorPages([...ofDatabase, ...ofAdministration]),
    ["openapi.json", openApiReference(description)],
  ]);
}

/** `openapi.json`: the API description. */
function openApiReference({ openapi, ...rest }: OpenApiDocument): string {
  return `${JSON.stringify({ openapi, "x-generated": generatedNote, ...rest }, null, 2)}\n`;
}

const administrationPage = { title: "Administration API", description: "administration-openapi.json" };
