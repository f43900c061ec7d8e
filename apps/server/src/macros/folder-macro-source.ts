import { constants } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import type { MacroLanguage, MacroSource, MacroText } from "@sallyport/core";
import type { Logger } from "pino";

/** Maximum bytes per source, the same as in a database. */
const maxBytes = 256 * 1024;
const maxFiles = 1_000;
/** Milliseconds between two scans of a watched directory. Polling works on every file system. */
const interval = 500;

/** Replaces the signature of an unreadable directory, so that the next scan detects a change. */
const unreadable = "?";

/** A directory with one macro per file. Other files, hidden files and subdirectories are ignored. */
export class FolderMacroSource implements MacroSource {
  generation = 1;
  private timer: NodeJS.Timeout | undefined;
  private seen: string | undefined;
  private looking: Promise<void> | undefined;
  private texts: readonly MacroText[] = [];

  constructor(
    readonly directory: string,
    private readonly logger: Logger,
  ) {}

  /** Starts polling for changes. */
  watch(): void {
    this.timer ??= setInterval(() => void this.look(), interval).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Reloads everything with the next request. */
  refresh(): void {
    this.generation += 1;
  }

  /** The current sources. While the directory is unreadable, the previous ones. */
  async read(): Promise<readonly MacroText[]> {
    try {
      const names = await this.names();
      this.seen ??= await this.signature();
      const texts = await Promise.all(names.map((name) => this.text(name)));
      this.texts = texts.flatMap((text) => text ?? []);
    } catch (err) {
      this.seen = unreadable;
      this.logger.error({ err, directory: this.directory }, "Macro directory cannot be read");
    }
    return this.texts;
  }

  private look(): Promise<void> {
    return (this.looking ??= this.compare().finally(() => (this.looking = undefined)));
  }

  private async compare(): Promise<void> {
    // A directory that is briefly missing during a deployment has not changed.
    const now = await this.signature().catch(() => this.seen);
    if (now === this.seen) return;
    const isFirst = this.seen === undefined;
    this.seen = now;
    if (!isFirst) this.refresh();
  }

  /** Changes when a file is written, added or removed. */
  private async signature(): Promise<string> {
    const facts = await Promise.all(
      (await this.names()).map(async (name) => {
        // A broken symbolic link must not hide the other files.
        const stats = await stat(join(this.directory, name), { bigint: true }).catch(() => null);
        return stats === null ? name : [name, stats.mtimeNs, stats.ctimeNs, stats.size, stats.ino].join(":");
      }),
    );
    return facts.join("\n");
  }

  private async names(): Promise<string[]> {
    const all = await readdir(this.directory);
    const ours = all.filter(
      (name) =>
        !name.startsWith(".") &&
        !/\.d\.m?ts$/.test(name) &&
        !/\.test\.[a-z]+$/.test(name) &&
        macroLanguages.has(extname(name)),
    );
    if (ours.length > maxFiles) throw new Error(`The directory has more than ${maxFiles} files.`);
    return ours.toSorted();
  }

  private async text(name: string): Promise<MacroText | null> {
    const origin = join(this.directory, name);
    const language = macroLanguages.get(extname(name)) ?? "js";
    try {
      return { name: name.slice(0, -extname(name).length), language, text: await textOf(origin), origin };
    } catch (err) {
      this.logger.error({ err, file: origin }, "Macro file cannot be read");
      return null;
    }
  }
}

/** Reads a regular file. Reading a pipe or a device could block or never end. */
async function textOf(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error("It is not a file.");
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (length > maxBytes) throw new Error(`It is larger than ${maxBytes} bytes.`);
      if (bytesRead === 0) return buffer.toString("utf8", 0, length);
    }
  } finally {
    await file.close();
  }
}

/** Languages of macros by file extension. */
export const macroLanguages: ReadonlyMap<string, MacroLanguage> = new Map([
  [".js", "js"],
  [".mjs", "js"],
  [".ts", "ts"],
  [".mts", "ts"],
]);
