import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { classDefinition } from "@sallyport/contract";
import { type ClassDefinition, ServiceError } from "@sallyport/storage";
import { type ClassRequest, initialClasses } from "@sallyport/core";
import { jsonPointer } from "@sallyport/storage/errors";
import * as z from "zod";
import { ConfigurationError } from "./configuration-error.ts";

/** The default model file. */
const defaultModelFile = fileURLToPath(new URL("../../models/default.json", import.meta.url));

const modelFile = z.strictObject({ classes: z.array(classDefinition.extend({ name: z.string() })) });

/** Reads the classes of a new database. Throws a `ConfigurationError` if the file is invalid. */
export async function readModelFile(file: string = defaultModelFile): Promise<readonly ClassDefinition[]> {
  try {
    const { classes } = modelFile.parse(JSON.parse(await readFile(file, "utf8")));
    return await initialClasses(named(classes, "/classes"));
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    throw new ConfigurationError([{ path: "", reason: `The model file ${file} cannot be used: ${reason}` }]);
  }
}

/** The classes of a new database with further classes. Those of the default model file can be redefined. */
export async function modelClasses(
  classes: readonly (ClassRequest & { readonly name: string })[],
): Promise<readonly ClassDefinition[]> {
  const { classes: usual } = modelFile.parse(JSON.parse(await readFile(defaultModelFile, "utf8")));
  const names = new Set(classes.map(({ name }) => name));
  const others = usual.filter(({ name }) => !names.has(name));
  return initialClasses([...named(others, "/usual"), ...named(classes, "/classes")]);
}

function named(classes: readonly (ClassRequest & { readonly name: string })[], place: string) {
  return classes.map(({ name, ...definition }, index) => ({ name, definition, pointer: `${place}/${index}` }));
}

/** Why the file cannot be used; `null` for an error of another origin. */
function reasonOf(error: unknown): string | null {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `at ${jsonPointer(path)}: ${message}`).join("; ");
  if (error instanceof SyntaxError) return `it is not valid JSON: ${error.message}`;
  if (error instanceof ServiceError && error.code === 307) return error.detail ?? error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? null : message;
}
