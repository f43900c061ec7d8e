import { isIP } from "node:net";
import { checkAddress, InvalidAddress } from "@sallyport/storage-knex/server-address";

const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/;

export function isHost(text: string): boolean {
  return isIP(text) !== 0 || (hostName.test(text) && !/^[0-9.]+$/.test(text));
}

export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** The host and the port of a listener, such as `127.0.0.1:8081` or `[::1]:8081`; `null` if the text is none. */
export function listenerAddress(text: string): { readonly host: string; readonly port: number } | null {
  const [, inBrackets, bare, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const [host, port] = [inBrackets ?? bare ?? "", Number(digits)];
  return isHost(host) && port <= 65_535 ? { host, port } : null;
}

export function isListenerAddress(text: string): boolean {
  return listenerAddress(text) !== null;
}

/** An IP address or a CIDR network. */
export function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

export function isBasePath(text: string): boolean {
  return text === "" || /^(\/[A-Za-z0-9._~-]+)+$/.test(text);
}

export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && search === "" && hash === "" && username === "" && password === "";
}

/** An HTTP URL with its path hidden. */
export function withoutPath(text: string): string {
  const { origin, pathname } = new URL(text);
  return pathname === "/" ? origin : `${origin}/***`;
}

/** Whether a text is meant as a connection string. */
export function isConnectionString(text: string): boolean {
  return /^(postgres|postgresql|mariadb|mysql):\/\/./.test(text);
}

/** Why a server cannot start with a connection string; `null` if it can. Contains no secret. */
export function faultOfAddress(url: string): string | null {
  try {
    checkAddress(url);
    return null;
  } catch (error) {
    if (error instanceof InvalidAddress) return error.message.replace(/^The database URL /, "").replace(/\.$/, "");
    throw error;
  }
}

/** A plain HTTP URL of this machine. */
export function isLoopbackUrl(text: string): boolean {
  return (
    isHttpUrl(text) &&
    new URL(text).protocol === "http:" &&
    isLoopbackHost(new URL(text).hostname.replace(/^\[|\]$/g, ""))
  );
}

/** The name of an HTTP header, in the characters that are in use. */
export function isHeaderName(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(text);
}
