import { fileURLToPath } from "node:url";
import { freePort } from "../processes/free-port.ts";
import { MeasuredProcess } from "../processes/measured-process.ts";

export interface ProductSettings {
  readonly databaseUrl: string;
  readonly poolSize: number;
}

export interface StartedProduct {
  readonly address: string;
  readonly process: MeasuredProcess;
}

export async function startProduct({ databaseUrl }: ProductSettings): Promise<StartedProduct> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const process = await MeasuredProcess.start({
    entry: fileURLToPath(new URL("composed-server.js", import.meta.url)),
    arguments: [String(port), databaseUrl, "sallyport", "sallyport_large"],
    readyAddress: `${address}/healthz`,
  });
  return { address, process };
}
