import type { Configuration } from "../configuration/index.ts";
import type { DemoProvidersOptions } from "../demo/index.ts";

/** Public URL of the server without a trailing slash; `null` if it is unknown before listening. */
export function publicAddress({
  server: { publicUrl, host, port, basePath, tls },
  demo,
}: Configuration): string | null {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
  // The demo is reachable only from this machine.
  if (!demo || port === 0) return null;
  const scheme = tls.certificateFile === undefined ? "http" : "https";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}${basePath}`;
}

/**
 * Options of the demo's fake providers; `null` if the demo does not run them. Their callback URLs require a known
 * public address.
 */
export function demoProvidersPlace(configuration: Configuration): DemoProvidersOptions | null {
  const { demoFolder: folder, providers } = configuration;
  const serverAddress = publicAddress(configuration);
  if (folder === null || serverAddress === null || providers.fakeUrl !== undefined) return null;
  return { folder, serverAddress };
}
