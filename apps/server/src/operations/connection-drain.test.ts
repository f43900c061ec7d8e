import { createServer, request, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { once } from "node:events";
import type { LoadGauge } from "@sallyport/http";
import { ConnectionDrain } from "./connection-drain.ts";

const load = () => ({ current: 1, drain() {} }) as unknown as LoadGauge;

async function listening(listener: RequestListener): Promise<{ server: Server; port: number; drain: ConnectionDrain }> {
  const server = createServer(listener);
  const drain = new ConnectionDrain(server, load());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port, drain };
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

test("a request in work is finished, and then nothing is left", async () => {
  let finish = () => {};
  const started = deferred();
  const { port, drain } = await listening((_request, response) => {
    finish = () => response.end("done");
    started.resolve();
  });
  const answer = get(port);
  await started.promise;
  const drained = drain.run(10_000);
  await expect(get(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  finish();
  await expect(answer).resolves.toBe("done");
  await expect(drained).resolves.toBe(true);
});

test("connections that ask nothing do not hold it up", async () => {
  const { server, port, drain } = await listening((_request, response) => response.end("ok"));
  const silent = await connected(server, port);
  const idle = await connected(server, port);
  idle.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(idle, "data");
  await expect(drain.run(10_000)).resolves.toBe(true);
  silent.destroy();
  idle.destroy();
});

test("what takes longer than the time-out is cut off", async () => {
  const started = deferred();
  const { port, drain } = await listening((_request, response) => {
    response.write("half");
    started.resolve();
  });
  const answer = get(port).catch((error: unknown) => error);
  await started.promise;
  await expect(drain.run(20)).resolves.toBe(false);
  await expect(answer).resolves.toMatchObject({ code: "ECONNRESET" });
});

test("a server that does not listen has nothing to drain", async () => {
  await expect(new ConnectionDrain(createServer(), load()).run(10_000)).resolves.toBe(true);
});

/** A promise and what fulfils it. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
