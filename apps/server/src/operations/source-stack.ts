import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";

/** Where the server's own files are. No other file is looked at, as a message can hold any text. */
const folder = new URL("../", import.meta.url).href;
const maps = new Map<string, SourceMap | null>();

/** A stack trace that names lines of sources instead of lines of the bundle. Node itself would read all source maps at every start. */
export function sourceStack(stack: string): string {
  return stack.replaceAll(/(file:\/\/[^\s()]*\/)([\w.-]+\.js):(\d+):(\d+)/g, (place, from, file, line, column) => {
    if (from !== folder) return place;
    const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (found === undefined || !("originalSource" in found)) return place;
    return `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = read(file);
  maps.set(file, map);
  return map;
}

function read(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`, folder), "utf8")));
  } catch {
    return null;
  }
}
