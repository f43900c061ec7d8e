import { authenticate } from "./authenticate.ts";
import { buildSerialization } from "./build-serialization.ts";
import { createUserProvider } from "./create-user-provider.ts";
import { declare } from "./declare.ts";
import type { Driver } from "./driver.ts";
import { findObjects } from "./find-objects.ts";
import { changeEach, tellOfEach } from "./of-each-item.ts";
import { run } from "./run.ts";

/** The drivers by the names that the host calls them. */
export const drivers: ReadonlyMap<string, Driver> = new Map<string, Driver>([
  ["run", run],
  ["declare", declare],
  ["buildSerialization", buildSerialization],
  ["findObjects", findObjects],
  ["beforeSave", changeEach],
  ["afterSave", tellOfEach],
  ["beforeDelete", tellOfEach],
  ["afterDelete", tellOfEach],
  ["authenticate", authenticate],
  ["createUserProvider", createUserProvider],
]);
