import { isIP } from "node:net";

const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/;

export function isHost(text: string): boolean {
  return isIP(text) !== 0 || (hostName.test(text) && !/^[0-9.]+$/.test(text));
}

export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
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
  const { protocol, search, hash, username } = new URL(text);
  return /^https?:$/.test(protocol) && search === "" && hash === "" && username === "";
}

/** Storage engine of a connection string; `undefined` if it is none. */
export function engineOfUrl(text: string): "mariadb" | "postgres" | undefined {
  if (/^postgres(ql)?:\/\/[^\s]+$/.test(text)) return "postgres";
  return /^(mariadb|mysql):\/\/[^\s]+$/.test(text) && URL.canParse(text) ? "mariadb" : undefined;
}

/** The URLs of the hosts of a connection string, which can name several; none if it cannot be parsed. */
export function serverUrls(text: string): readonly URL[] {
  const [, start = "", hosts = "", rest = ""] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(text) ?? [];
  const urls = hosts.split(",").map((host) => `${start}${host}${rest}`);
  return urls.every((url) => URL.canParse(url)) ? urls.map((url) => new URL(url)) : [];
}

/** A plain HTTP URL of this machine. */
export function isLoopbackUrl(text: string): boolean {
  return (
    isHttpUrl(text) &&
    new URL(text).protocol === "http:" &&
    isLoopbackHost(new URL(text).hostname.replace(/^\[|\]$/g, ""))
  );
}
