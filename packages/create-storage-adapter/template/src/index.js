import { AdapterStorage } from "./adapter-storage.js";
import { Engine } from "./engine.js";

/**
 * The entry point for a server configured with `"engine": "module"`. The options come from its configuration; validate
 * them. Error messages are shown to the operator and must not contain secrets. Only tests set the clock.
 *
 * @type {import("@sallyport/storage").OpenStorage}
 */
export function openStorage(options, clock) {
  return new AdapterStorage(new Engine(options), clock);
}
