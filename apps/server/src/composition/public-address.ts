import { type Configuration, listenerAddress } from "../configuration/index.ts";
import type { DemoProvidersOptions } from "../demo/index.ts";

/** Public URL of the server without a trailing slash; `null` if it is unknown before listening. */
export function publicAddress({
  server: { publicUrl, host, port, basePath, tls },
  demo,
}: Configuration): string | null {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
  // The demo is reachable only from this machine.
  if (!demo || port === 0) return null;
  return `${schemeOf(tls)}://${reachableHost(host)}:${port}${basePath}`;
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

/** Address of the console of a database, with a ticket. `base`: URL of the server without a trailing slash. */
export function consoleLink(base: string, alias: string, ticket: string, use: "ticket" | "set-up" = "ticket"): string {
  return `${base}${alias === "" ? "" : `/${alias}`}/console/#${use}=${ticket}`;
}

/** URL without a trailing slash at which the console is reached; `null` if only the running server knows it. */
export function consoleBase({ server, console: { listen } }: Configuration): string | null {
  const { publicUrl, basePath, tls } = server;
  if (listen === undefined && publicUrl !== undefined) return publicUrl.replace(/\/+$/, "");
  const { host, port } = (listen === undefined ? null : listenerAddress(listen)) ?? server;
  return port === 0 ? null : `${schemeOf(tls)}://${reachableHost(host)}:${port}${basePath}`;
}

export function schemeOf({ certificateFile }: Configuration["server"]["tls"]): "http" | "https" {
  return certificateFile === undefined ? "http" : "https";
}

/** The host in a URL of this machine, for an address to listen on. */
export function reachableHost(address: string): string {
  const reachable = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  return reachable.includes(":") ? `[${reachable}]` : reachable;
}
