import type { Configuration } from "../configuration/index.ts";

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
