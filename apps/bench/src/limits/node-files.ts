/**
 * Limit: node:http that writes the body of a request to a file, durably, and sends it back. Arguments: port, folder. A
 * `PUT` is answered when its bytes are on the disk.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const [, , port, folder = ""] = process.argv;
const file = join(folder, "bare");
await writeFile(file, "");

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "PUT") {
    await pipeline(request, createWriteStream(file, { flush: true }));
    response.end();
    return;
  }
  const { size } = await stat(file);
  response.writeHead(200, { "content-length": size });
  await pipeline(createReadStream(file), response);
}

createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
}).listen(Number(port), "127.0.0.1");
