#!/usr/bin/env node
import module from "node:module";
import { fileURLToPath } from "node:url";
import { outliveReaders } from "@sallyport/client/terminal";
import { mainCommand } from "./commands/main-command.ts";

/** Caches compiled code (Node 22 and newer) next to the program, which has the same write permissions. */
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(fileURLToPath(new URL(".cache", import.meta.url)));

outliveReaders();
try {
  await mainCommand().parseAsync();
} catch (error) {
  const { reportFailure } = await import("./commands/report-failure.ts");
  reportFailure(error);
}
