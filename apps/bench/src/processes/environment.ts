import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** The variables of a started program. They exclude the product's configuration. All programs run in production mode. */
export const environment = {
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  TMPDIR: process.env["TMPDIR"],
  NODE_ENV: "production",
};

/** A port of this machine on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
