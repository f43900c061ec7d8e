import { fileURLToPath } from "node:url";
import { freePort } from "../processes/free-port.ts";
import { MeasuredProcess } from "../processes/measured-process.ts";

export interface RunningLimit {
  readonly address: string;
  readonly process: MeasuredProcess;
}

/** Starts the limit in the module of this name; those that ask a database share one pool size with the product, those that ask a provider get its address. */
export async function startLimit(
  module: string,
  databaseAddress: string,
  poolSize: number,
  imitation = "",
): Promise<RunningLimit> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const process = await MeasuredProcess.start({
    entry: fileURLToPath(new URL(`${module}.js`, import.meta.url)),
    arguments: [String(port), databaseAddress, String(poolSize), imitation],
    readyAddress: address,
  });
  return { address, process };
}
