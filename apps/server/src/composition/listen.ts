import { type AddressInfo, createServer, type Server } from "node:net";
import type { Configuration } from "../configuration/index.ts";
import { StartError } from "./start-error.ts";

/** Refuses at once what `listen` would refuse after everything that comes before it. */
export async function requireFreePort(settings: Configuration["server"]): Promise<void> {
  const probe = createServer((socket) => socket.destroy());
  await listen(probe, settings);
  await new Promise((closed) => {
    probe.close(closed);
  });
}

/** Starts to take connections; the address that the server got. */
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
      return `Port ${port} of ${host} is in use, perhaps by a server that runs already. Choose another one with PORT (0 takes a free one).`;
    case "EACCES":
      return `Port ${port} of ${host} may not be used by this user. Choose another one with PORT.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is no address of this machine. Choose another one with HOST.`;
    default:
      return `The server cannot listen on port ${port} of ${host} (${error.code ?? error.message}).`;
  }
}
