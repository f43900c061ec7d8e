import { anyPort } from "@sallyport/storage";

const label = "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?";
const host = `(?:${label}(?:\\.${label})*|\\[[0-9a-f:.]+\\])`;

/** The scheme, the host and the port of an origin as browsers send it. */
const form = new RegExp(`^([a-z][a-z0-9+.-]*)://${host}(?::([1-9]\\d{0,4}))?$`);

/** Ports that browsers leave out. */
const defaultPorts: ReadonlyMap<string, number> = new Map([
  ["http", 80],
  ["https", 443],
]);

/** Whether an app key may list the text: an origin in the form that browsers send, or with any port. */
export function isWebOrigin(text: string): boolean {
  const bare = text.endsWith(anyPort) ? text.slice(0, -anyPort.length) : text;
  const [, scheme = "", port] = form.exec(bare) ?? [];
  if (scheme === "" || (bare !== text && port !== undefined)) return false;
  return port === undefined || (Number(port) <= 65_535 && Number(port) !== defaultPorts.get(scheme));
}
