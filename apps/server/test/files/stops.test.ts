import { once } from "node:events";
import { request as startRequest } from "node:http";
import { until } from "@sallyport/test-kit/jest/until";
import { logIn } from "../cases/run-cases.ts";
import { call } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { form, formType, octets } from "./file-sender.ts";
import { appKey } from "../subject.ts";
import { countFiles, filesDirectory } from "./on-file-servers.ts";

test("a server that stops answers its uploads and closes their connections", async () => {
  const server = await startDemoServer("memory", { DRAIN_TIMEOUT: "10s" });
  const sessionId = await logIn(server, "admin");
  const { body } = await call(server, "/v1/uploadFile", { sessionId });
  const headers = { appkey: appKey, sessionid: sessionId, ...octets, "content-range": "bytes 0-9/10" };
  const sent = startRequest(`${server.url}/v1/uploadFile/${body.data.uploadId}`, {
    method: "PATCH",
    headers: { ...headers, "content-length": 10, expect: "100-continue" },
  });
  sent.flushHeaders();
  await once(sent, "continue");
  sent.write("01234");
  const closed = server.close();
  sent.end("56789");
  const [response] = await once(sent, "response");
  expect([response.statusCode, response.headers.connection]).toEqual([200, "close"]);
  response.resume();
  await closed;
});

test("a server that stops cuts the uploads that outlast its drain time, and leaves nothing of them", async () => {
  const server = await startDemoServer("memory", { FILES_DIRECTORY: filesDirectory, DRAIN_TIMEOUT: "300ms" });
  const before = countFiles();
  const sessionid = await logIn(server, "admin");
  const headers = { appkey: appKey, sessionid, ...formType, "content-length": 1_000_000 };
  const sent = startRequest(`${server.url}/v1/uploadFile`, { method: "POST", headers });
  sent.on("error", () => {}).on("response", (response) => response.resume());
  sent.write(form(Buffer.alloc(300_000), { name: "file" }).subarray(0, 200_000));
  await until(() => countFiles() !== before);
  await server.close();
  await until(() => countFiles() <= before);
  expect(countFiles()).toBe(before);
});
