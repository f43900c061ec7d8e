import { randomBytes } from "node:crypto";
import type { RunningServer } from "../src/index.ts";
import type { DemoOfSuite } from "./engines.ts";
import { md5, octets, type Sender, senderOf, sha256 } from "./file-sender.ts";
import { openSession } from "./open-session.ts";

/** Servers of one database and one store. */
export function sharedFilesSuite(_server: () => RunningServer, { servers }: DemoOfSuite): void {
  test("two servers take chunks of one upload in turns", async () => {
    const session = await openSession(servers()[0] as RunningServer, "session", "admin");
    const [one, other] = servers().map((server) =>
      senderOf(
        () => server,
        () => session,
      ),
    ) as [Sender, Sender];
    const bytes = randomBytes(600_000);
    const path = `/v1/uploadFile/${(await one("GET", "/v1/uploadFile")).data.uploadId}`;
    for (let first = 0; first < bytes.length; first += 100_000) {
      const [chunk, last] = [bytes.subarray(first, first + 100_000), first + 99_999];
      const send = first % 200_000 === 0 ? one : other;
      const range = `bytes ${first}-${last}/${bytes.length}`;
      const { data } = await send("PATCH", path, chunk, { ...octets, "content-range": range });
      expect(data).toMatchObject({ size: last + 1, hash: md5(bytes.subarray(0, last + 1)) });
    }
    const { data } = await other("PATCH", path);
    expect(data).toMatchObject({ Size: bytes.length, Sha256: sha256(bytes) });
    expect((await one("GET", `/v1/file/${data["~ObjectID"]}`)).bytes.equals(bytes)).toBe(true);
  });
}
