import { type AddressInfo, createServer, type Server } from "node:net";
import type { Configuration } from "../configuration/index.ts";
import { StartError } from "./start-error.ts";

/** Detects an unavailable port early. `listen` would fail only after all preparations. */
export async function requireFreePort(settings: Configuration["server"]): Promise<void> {
  const probe = createServer((socket) => socket.destroy());
  await listen(probe, settings);
  await new Promise((closed) => {
    probe.close(closed);
  });
}

/** Starts listening and returns the bound address. */
export async function listen(server: Server, { host, port }: Configuration["server"]): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new StartError(reasonOf(error, host, port), { cause: error })));
    server.listen({ host, port }, () => {
      server.removeAllListeners("error");
      resolve(server.address() as AddressInfo);
    });
  });
}

function reasonOf(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is already in use. Set PORT to another port, or to 0 for a free one.`;
    case "EACCES":
      return `This user cannot listen on port ${port} of ${host}. Set PORT to another port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine. Set HOST to another address.`;
    default:
      return `The server cannot listen on port ${port} of ${host} (${error.code ?? error.message}).`;
  }
}
