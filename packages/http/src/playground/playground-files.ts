import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const { resolve } = createRequire(import.meta.url);
const own = (name: string): string => fileURLToPath(new URL(`../../public/${name}`, import.meta.url));

const places: ReadonlyMap<string, string> = new Map([
  ["swagger-ui.css", resolve("swagger-ui-dist/swagger-ui.css")],
  ["swagger-ui-bundle.js", resolve("swagger-ui-dist/swagger-ui-bundle.js")],
  ["playground.css", own("playground.css")],
  ["playground.js", own("playground.js")],
  ["start.css", own("start.css")],
]);

export interface PlaygroundFile {
  readonly content: Buffer;
  /** Follows from the content: packages are installed with times that say nothing. */
  readonly tag: string;
}

/** The files that the page loads, by the name that it knows them under; there are no others. Each is read once. */
export class PlaygroundFiles {
  private readonly read = new Map<string, Promise<PlaygroundFile>>();

  get(name: string): Promise<PlaygroundFile> | undefined {
    const place = places.get(name);
    if (place === undefined) return undefined;
    const known = this.read.get(name) ?? load(place);
    this.read.set(name, known);
    return known;
  }
}

async function load(place: string): Promise<PlaygroundFile> {
  const content = await readFile(place);
  return { content, tag: `"${createHash("sha256").update(content).digest("base64url")}"` };
}
