import { type AddressInfo, createServer, type Server } from "node:net";
import { type Configuration, listenerAddress } from "../configuration/index.ts";
import { StartError } from "./start-error.ts";

/** The place of a listener, and the settings that choose it. */
interface ListenerPlace {
  readonly host: string;
  readonly port: number;
  readonly settings: { readonly host: string; readonly port: string };
}

/** The places of the listeners of a server. */
export interface ListenerPlaces {
  readonly main: ListenerPlace;
  /** `null`: the main one serves the console and the administration routes, too. */
  readonly administration: ListenerPlace | null;
}

export function listenerPlaces({
  server: { host, port },
  console: { listen: text },
}: Pick<Configuration, "server" | "console">): ListenerPlaces {
  const own = text === undefined ? null : listenerAddress(text);
  return {
    main: { host, port, settings: { host: "HOST", port: "PORT" } },
    administration: own && { ...own, settings: { host: "CONSOLE_LISTEN", port: "CONSOLE_LISTEN" } },
  };
}

/** Detects unavailable ports early. `listen` would fail only after all preparations. */
export async function requireFreePorts({ main, administration }: ListenerPlaces): Promise<void> {
  for (const place of administration === null ? [main] : [main, administration]) {
    const probe = createServer((socket) => socket.destroy());
    await listen(probe, place);
    await new Promise((closed) => {
      probe.close(closed);
    });
  }
}

/** Starts listening and returns the bound address. */
export async function listen(server: Server, place: ListenerPlace): Promise<AddressInfo> {
  const { host, port } = place;
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new StartError(reasonOf(error, place), { cause: error })));
    server.listen({ host, port }, () => {
      server.removeAllListeners("error");
      resolve(server.address() as AddressInfo);
    });
  });
}

function reasonOf(error: NodeJS.ErrnoException, { host, port, settings }: ListenerPlace): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is already in use. Set ${settings.port} to another port, or to 0 for a free one.`;
    case "EACCES":
      return `This user cannot listen on port ${port} of ${host}. Set ${settings.port} to another port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine. Set ${settings.host} to another address.`;
    default:
      return `The server cannot listen on port ${port} of ${host} (${error.code ?? error.message}).`;
  }
}
