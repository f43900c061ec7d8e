import { createServer, request, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { once } from "node:events";
import { Connections, type LoadGauge } from "@sallyport/http";
import { ConnectionDrain } from "../composition/start-server.ts";

interface Listening {
  readonly server: Server;
  readonly port: number;
  readonly connections: Connections;
  readonly drain: ConnectionDrain;
}

const load = { drain() {} } as LoadGauge;

async function listening(listener: RequestListener): Promise<Listening> {
  const connections = new Connections({ mayWait: 8, perIp: 100, networkOf: () => null });
  const server = createServer((asked, response) => connections.of(asked.socket).take(asked, response, listener));
  connections.watch(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const drain = new ConnectionDrain(server, { load, connections });
  return { server, port: (server.address() as AddressInfo).port, connections, drain };
}

async function connected(server: Server, port: number): Promise<Socket> {
  const accepted = once(server, "connection");
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await accepted;
  return socket;
}

const get = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", agent: false, headers: { connection: "keep-alive" } }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => (body += part));
      response.on("end", () => resolve(body)).on("error", reject);
    })
      .on("error", reject)
      .end();
  });

test("a request in progress is finished, and then nothing is left", async () => {
  let finish = () => {};
  const started = deferred();
  const { port, drain } = await listening((_request, response) => {
    finish = () => response.end("done");
    started.resolve();
  });
  const answer = get(port);
  await started.promise;
  const drained = drain.run({ delay: 0, timeout: 10_000 });
  await expect(get(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  finish();
  await expect(answer).resolves.toBe("done");
  await expect(drained).resolves.toBe(true);
});

test("idle connections do not delay it", async () => {
  const { server, port, drain } = await listening((_request, response) => response.end("ok"));
  const silent = await connected(server, port);
  const idle = await connected(server, port);
  idle.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(idle, "data");
  await expect(drain.run({ delay: 0, timeout: 10_000 })).resolves.toBe(true);
  silent.destroy();
  idle.destroy();
});

test("half a request does not delay it", async () => {
  const { server, port, connections, drain } = await listening((_request, response) => response.end("ok"));
  const half = await connected(server, port);
  half.write("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHos");
  await once(half, "data");
  const gone = once(half, "close");
  await expect(drain.run({ delay: 0, timeout: 10_000 })).resolves.toBe(true);
  await gone;
  expect(connections.size).toBe(0);
});

test("the rest of an unneeded body does not delay it", async () => {
  const { server, port, drain } = await listening((_request, response) => response.end("ok"));
  const half = await connected(server, port);
  half.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
  await once(half, "data");
  await expect(drain.run({ delay: 0, timeout: 10_000 })).resolves.toBe(true);
});

test("an answer that is written but not yet read is not cut off", async () => {
  const size = 32 * 1024 * 1024;
  const { server, port, drain } = await listening((_request, response) => response.end(Buffer.alloc(size)));
  const slow = await connected(server, port);
  slow.pause();
  slow.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(slow, "readable");
  const drained = drain.run({ delay: 0, timeout: 10_000 });
  let received = 0;
  slow.on("data", (bytes: Buffer) => {
    received += bytes.length;
  });
  slow.resume();
  await once(slow, "end");
  expect(received).toBeGreaterThan(size);
  await expect(drained).resolves.toBe(true);
});

test("queued requests on a connection are dropped, and the last answer announces it", async () => {
  const started = deferred();
  let finish = () => {};
  let begun = 0;
  const { server, port, connections, drain } = await listening((asked, response) => {
    begun += 1;
    finish = () =>
      response.writeHead(200, connections.of(asked.socket).isEnding ? { Connection: "close" } : {}).end("done");
    started.resolve();
  });
  const client = await connected(server, port);
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
  await started.promise;
  const drained = drain.run({ delay: 0, timeout: 10_000 });
  finish();
  let text = "";
  client.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  await once(client, "end");
  expect(text.match(/HTTP\/1.1 200[^]*?connection: close/gi)).toHaveLength(1);
  expect(begun).toBe(1);
  await expect(drained).resolves.toBe(true);
});

test("work beyond the time limit is cut off", async () => {
  const started = deferred();
  const { port, drain } = await listening((_request, response) => {
    response.write("half");
    started.resolve();
  });
  const answer = get(port).catch((error: unknown) => error);
  await started.promise;
  await expect(drain.run({ delay: 0, timeout: 20 })).resolves.toBe(false);
  await expect(answer).resolves.toMatchObject({ code: "ECONNRESET" });
});

test("a server that does not listen has nothing to drain", async () => {
  await expect(
    new ConnectionDrain(createServer(), {
      load,
      connections: new Connections({ mayWait: 8, perIp: 100, networkOf: () => null }),
    }).run({ delay: 0, timeout: 10_000 }),
  ).resolves.toBe(true);
});

/** A promise and its resolve function. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
