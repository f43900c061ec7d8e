import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";

/** URL of the server's files. No other file is read, because a message can contain any path. */
const folder = new URL("../", import.meta.url).href;
const maps = new Map<string, SourceMap | null>();

/** Maps a stack trace to the sources. Node itself would load all source maps at startup. */
export function sourceStack(stack: string): string {
  return stack.replaceAll(/(file:\/\/[^\s()]*\/)([\w.-]+\.js):(\d+):(\d+)/g, (place, from, file, line, column) => {
    if (from !== folder) return place;
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return place;
    return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | null {
  const cached = maps.get(file);
  if (cached !== undefined) return cached;
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
