import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { ConfigurationError } from "../configuration-error.ts";
import { factsOf, schemaAt } from "../fields/index.ts";
import { configurationSchema } from "../schema/configuration-schema.ts";
import { readReason } from "./read-reason.ts";

/** The content of a configuration file, not yet checked but for being JSON. Paths in it become absolute. */
export function readFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigurationError([{ path: "", reason: `The configuration file ${file} ${readReason(error)}.` }]);
  }
  return resolvePaths(parse(text, file), configurationSchema, dirname(resolve(file)));
}

/** The parser's own message would quote the file, secrets included. */
function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const position = /position (\d+)/.exec(String((error as Error).message))?.[1];
    const line = position === undefined ? "" : ` (line ${text.slice(0, Number(position)).split("\n").length})`;
    throw new ConfigurationError([{ path: "", reason: `The configuration file ${file} is not valid JSON${line}.` }]);
  }
}

function resolvePaths(value: unknown, schema: z.ZodType | undefined, folder: string): unknown {
  if (schema === undefined) return value;
  if (typeof value === "string") {
    return value === "" ? value : (factsOf(schema)?.kind.inFolder?.(value, folder) ?? value);
  }
  if (Array.isArray(value)) return value.map((each) => resolvePaths(each, schemaAt(schema, [0]), folder));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolvePaths(member, schemaAt(schema, [name]), folder)]),
  );
}
