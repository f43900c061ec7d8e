import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type ClientOrigin, networkOf } from "@sallyport/core";
import ipaddr from "ipaddr.js";

/** The canonical form of the operating system. Other spellings are normalized. */
const plainIpv4 = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/;

/** An address in a forwarding header: IPv4 or IPv6 in brackets, with or without a port, or bare IPv6. */
const forwardedForm = /^(?:([\d.]+)(?::\d{1,5})?|\[([^\]]+)\](?::\d{1,5})?|([^[\]]*:[^[\]]*:[^[\]]*))$/;

/** The address and network of a client whose proxy does not say where it is. */
const unknown = "unknown";

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** A list of addresses and networks. */
export class NetworkList {
  private readonly networks: readonly Network[];

  /** Throws if an entry is neither an address nor a network. */
  constructor(texts: readonly string[]) {
    this.networks = texts.map((text) => {
      if (text.includes("/")) return ipaddr.parseCIDR(text);
      const address = ipaddr.process(text);
      return [address, address.kind() === "ipv4" ? 32 : 128];
    });
  }

  get isEmpty(): boolean {
    return this.networks.length === 0;
  }

  /** Whether the list has the address. It has no text that is none. */
  includes(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return this.networks.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits));
  }
}

export interface ResolvedOrigin extends ClientOrigin {
  /** Whether the connection is protected against eavesdropping, as far as the server can know. */
  readonly secure: boolean;
}

/**
 * Determines the origin of requests. Forwarded addresses count only from trusted proxies. A client without a readable one
 * is `unknown`: from outside, never the proxy and never this machine.
 */
export class OriginResolver {
  private readonly proxies: NetworkList;

  /** Throws if an entry is neither an address nor a network. */
  constructor(trustedProxies: readonly string[]) {
    this.proxies = new NetworkList(trustedProxies);
  }

  /** Origin of the direct peer, without forwarded addresses. */
  peer(socket: Socket): ResolvedOrigin {
    const address = plainAddress(socket.remoteAddress ?? "0.0.0.0");
    return { address, network: networkOf(address), secure: "encrypted" in socket || isLoopback(address) };
  }

  /** The network of the peer; `null` for a trusted proxy. */
  clientNetwork(socket: Socket): string | null {
    const { address, network } = this.peer(socket);
    return !this.proxies.isEmpty && this.proxies.includes(address) ? null : network;
  }

  resolve(request: IncomingMessage): ResolvedOrigin {
    const direct = this.peer(request.socket);
    const { address: peer } = direct;
    if (this.proxies.isEmpty || !this.proxies.includes(peer)) return direct;
    const encrypted = "encrypted" in request.socket;
    const address = this.forwardedAddress(request.headers["x-forwarded-for"]);
    const protocol = lastOf(request.headers["x-forwarded-proto"]);
    const secure = protocol === undefined ? encrypted || isLoopback(address) : protocol === "https";
    return { address, network: networkOf(address), secure };
  }

  /**
   * The last address of the chain that is not a trusted proxy. The client controls everything before it. If all are
   * proxies, the first one: the request is its own.
   */
  private forwardedAddress(header: string | string[] | undefined): string {
    let first = unknown;
    for (const part of String(header ?? "")
      .split(",")
      .toReversed()) {
      first = readAddress(part.trim());
      if (first === unknown || !this.proxies.includes(first)) return first;
    }
    return first;
  }
}

function readAddress(text: string): string {
  const [, ipv4, inBrackets, bare] = forwardedForm.exec(text) ?? [];
  if (ipv4 !== undefined) return ipaddr.IPv4.isValidFourPartDecimal(ipv4) ? ipv4 : unknown;
  const ipv6 = inBrackets ?? bare;
  return ipv6 !== undefined && ipaddr.IPv6.isValid(ipv6) ? plainAddress(ipv6) : unknown;
}

/** Normalizes an address: removes the zone and maps an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(text: string): string {
  const bare = text.startsWith("::ffff:") && text.includes(".") ? text.slice(7) : (text.split("%", 1)[0] as string);
  return plainIpv4.test(bare) ? bare : ipaddr.process(bare).toString();
}

export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header).split(",").at(-1)?.trim().toLowerCase();
}
