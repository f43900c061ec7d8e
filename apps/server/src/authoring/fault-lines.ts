import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { MacroFault } from "@sallyport/core";
import { faultExcerpt } from "./fault-excerpt.ts";

const endings = [".ts", ".js", ".mjs"];

/** What a macro failed of: its file in the folder, the line and column if they are known, and the lines around. */
export function faultLines({ macro, message, line, column = 1 }: MacroFault, folder: string | null): string[] {
  const file =
    folder === null
      ? undefined
      : endings.map((ending) => join(folder, macro + ending)).find((each) => existsSync(each));
  const name = file === undefined ? macro : relative(process.cwd(), file);
  if (line === undefined) return [`${name}: ${message}`];
  const excerpt = file === undefined ? [] : faultExcerpt(readFileSync(file, "utf8"), line, column);
  return [`${name}:${line}:${column} ${message}`, ...excerpt];
}
