#!/usr/bin/env node
import { stopSignal } from "../run/command-line.ts";
import { runTesting } from "./run-testing.ts";

process.exitCode = await runTesting(process.argv.slice(2), { ...process, signal: stopSignal() });
