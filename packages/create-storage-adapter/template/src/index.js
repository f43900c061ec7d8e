import { AdapterStorage } from "./adapter-storage.js";
import { Engine } from "./engine.js";

/**
 * What a server calls that is configured with `"engine": "module"`: the options are those of its configuration, and
 * yours to check. The message of an error is shown to the operator, so it holds no secret.
 *
 * @type {import("@sallyport/core").OpenStorage}
 */
export function openStorage(options) {
  return new AdapterStorage(new Engine(options));
}
