import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { NetworkList, type OriginResolver } from "./client-origin.ts";

/** From where the console and the administration routes are reached. */
export interface ReachSettings {
  /** Addresses or CIDR networks of clients. Empty allows all. */
  readonly allow: readonly string[];
  /** Whether a listener of its own serves them, and the other one does not. */
  readonly hasListener: boolean;
}

/** Decides which requests reach the console and the administration routes. For all others these do not exist. */
export class AdministrationReach {
  private readonly allowed: NetworkList;
  private readonly entered = new WeakSet<Socket>();

  constructor(
    private readonly settings: ReachSettings,
    private readonly origins: OriginResolver,
  ) {
    this.allowed = new NetworkList(settings.allow);
  }

  /** Notes a connection of the listener of its own. */
  enter(socket: Socket): void {
    this.entered.add(socket);
  }

  admits(request: IncomingMessage): boolean {
    if (this.settings.hasListener && !this.entered.has(request.socket)) return false;
    return this.settings.allow.length === 0 || this.allowed.includes(this.origins.resolve(request).address);
  }
}
