#!/usr/bin/env node
import { outliveReaders } from "@sallyport/client/terminal";
import { runCommandLine } from "./run-command-line.ts";

outliveReaders();
await runCommandLine(process.argv.slice(2));
