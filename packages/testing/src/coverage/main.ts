#!/usr/bin/env node
import { runCoverage } from "./run-coverage.ts";

process.exitCode = await runCoverage(process.argv.slice(2), process);
