#!/usr/bin/env node
import module from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { outliveReaders } from "@sallyport/client/terminal";
import { mainCommand } from "./commands/main-command.ts";

/** Caches compiled code (Node 22 and newer) next to the program, which has the same write permissions. */
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(fileURLToPath(new URL(".cache", import.meta.url)));

// Requests that begin while the heap is small outlive its first collections. V8 then allocates such objects in the old
// generation permanently, and each of them keeps a whole request until a full collection: a tenth of the time of a small one.
setFlagsFromString("--no-allocation-site-pretenuring");

outliveReaders();
try {
  await mainCommand().parseAsync();
} catch (error) {
  const { reportFailure } = await import("./command-line/report-failure.ts");
  reportFailure(error);
}
