import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { runDirectory } from "../run-directory/run-directory.ts";

const shown = 10;

const notes = (directory: string): string => join(directory, "costs-of-files");

/** Notes the seconds of processor time of a test file, without the database server that all files share. 0: unknown. */
export function noteCost(path: string, seconds: number): void {
  if (seconds > 0) appendFileSync(notes(runDirectory()), `${seconds.toFixed(1)} ${path}\n`);
}

/** Lines that name the dearest test files of the run with this directory. */
export function dearestFiles(directory: string): string {
  if (!existsSync(notes(directory))) return "";
  const costs = readFileSync(notes(directory), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => ({ seconds: Number(line.slice(0, line.indexOf(" "))), path: line.slice(line.indexOf(" ") + 1) }))
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, shown);
  const lines = costs.map(({ seconds, path }) => `${seconds.toFixed(1).padStart(6)} s ${relative("", path)}\n`);
  return `The dearest test files:\n${lines.join("")}`;
}
