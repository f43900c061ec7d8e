#!/usr/bin/env node
import { runTesting } from "./run-testing.ts";

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
process.exitCode = await runTesting(process.argv.slice(2), { ...process, signal: stopping.signal });
