import type { Configuration } from "../configuration/index.ts";
import type { DemoProvidersOptions } from "../demo/index.ts";

/** Where clients reach the server, without a slash at its end; `null` if that is not known before it listens. */
export function publicAddress({
  server: { publicUrl, host, port, basePath, tls },
  demo,
}: Configuration): string | null {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
  // Nobody but this machine reaches the demo.
  if (!demo || port === 0) return null;
  const scheme = tls.certificateFile === undefined ? "http" : "https";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}${basePath}`;
}

/**
 * Of a demo whose server imitates the providers; `null` where they themselves are asked, or a configured imitation. What providers would send browsers
 * back to has to be known before; where it is not, nobody can log in with them.
 */
export function demoProvidersPlace(configuration: Configuration): DemoProvidersOptions | null {
  const { demoProvidersFolder: folder } = configuration;
  const serverAddress = publicAddress(configuration);
  return folder === null || serverAddress === null ? null : { folder, serverAddress };
}
