import { NodeServerKeys } from "@sallyport/crypto";
import type { Configuration } from "../configuration/index.ts";
import { suppliedKeys } from "./keys/supplied-keys.ts";
import { tlsFiles } from "./tls-files.ts";

/** Reads certificate and keys as a server would at its start; throws a `StartError` for what it could not use. */
export function checkSuppliedFiles(configuration: Configuration): void {
  tlsFiles(configuration);
  suppliedKeys(configuration, new NodeServerKeys());
}
