import { DatabaseKernel } from "./kernel.js";

/**
 * The entry point for a server configured with `"engine": "module"`. The options come from its configuration; validate
 * them. Error messages are shown to the operator and must not contain secrets. Only tests set the clock.
 *
 * @type {import("@sallyport/storage").OpenKernel}
 */
export function openKernel(options, clock) {
  return new DatabaseKernel(options, clock);
}
