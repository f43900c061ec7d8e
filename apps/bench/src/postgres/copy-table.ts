import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import copyStreams from "pg-copy-streams";

/** Writes a table into a file as fast as the driver can: COPY, without a look at the rows. Milliseconds. */
export function copyOut(address: string, table: string, file: string): Promise<number> {
  return withClient(address, (client) =>
    pipeline(client.query(copyStreams.to(`copy ${table} to stdout`)), createWriteStream(file, { flush: true })),
  );
}

/** Fills a table from such a file, whose indexes and triggers are as they are. Milliseconds. */
export function copyIn(address: string, table: string, file: string): Promise<number> {
  return withClient(address, (client) =>
    pipeline(
      createReadStream(file, { highWaterMark: 1_048_576 }),
      client.query(copyStreams.from(`copy ${table} from stdin`)),
    ),
  );
}

async function withClient(address: string, work: (client: pg.Client) => Promise<void>): Promise<number> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    const start = performance.now();
    await work(client);
    return performance.now() - start;
  } finally {
    await client.end();
  }
}
