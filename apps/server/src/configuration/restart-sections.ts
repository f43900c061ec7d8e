import { isDeepStrictEqual } from "node:util";
import type { Configuration } from "./configuration.ts";

/** The sections whose changes need a restart. A reload applies the databases, with the defaults resolved into them. */
export function restartSections(former: Configuration, next: Configuration): string[] {
  const [before, after] = [ofServer(former), ofServer(next)];
  return Object.keys({ ...before, ...after }).filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** The settings that are not resolved into the databases (`policyOf`). */
function ofServer(configuration: Configuration): Readonly<Record<string, unknown>> {
  const { databases: _databases, sessions: _sessions, rates: _rates, locks: _locks, ...rest } = configuration;
  const { objects: _objects, devices: _devices, audit: _audit, explanations: _explanations, ...further } = rest;
  const { sync: _sync, ...others } = further;
  const { file: _file, warnings: _warnings, demoFolder: _folder, demoMasterKeyFile: _key, ...settings } = others;
  const { clientHash: _clientHash, ...passwords } = settings.passwords;
  const { label: _label, color: _color, appKey: _appKey, ...ofConsole } = settings.console;
  return { ...settings, passwords, console: ofConsole };
}
