import type { Configuration } from "../configuration/index.ts";
import type { DemoProvidersOptions } from "../demo/index.ts";
import { publicAddress } from "./public-address.ts";

/**
 * Of a demo whose server imitates the providers; `null` where they themselves are asked, or a configured imitation. What providers would send browsers
 * back to has to be known before; where it is not, nobody can log in with them.
 */
export function demoProvidersPlace(configuration: Configuration): DemoProvidersOptions | null {
  const { demoProvidersFolder: folder } = configuration;
  const serverAddress = publicAddress(configuration);
  return folder === null || serverAddress === null ? null : { folder, serverAddress };
}
