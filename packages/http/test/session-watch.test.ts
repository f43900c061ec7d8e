import { until } from "@sallyport/test-kit/jest/until";
import { formType, patchHead, raw, upload, uploadPace, use, useFileServer, whole } from "./file-fixture.ts";

useFileServer();

/** Waits until the session was looked at this often. */
async function looks(count: number): Promise<void> {
  await until(() => use.renewals.length >= count);
}

const download = ["GET /v1/file/1AB HTTP/1.1", "Host: localhost", "appkey: key", "sessionid: id"];

/** A download of a large file, whose reader the test slows down. */
function startDownload() {
  use.opened = { ...use.opened, size: 2 ** 40 };
  return raw(download, { unread: true });
}

describe("the session of a transfer", () => {
  beforeEach(() => {
    uploadPace.silence = 10_000;
  });

  test("is renewed by bytes that arrive, by a kibibyte at least", async () => {
    const { sent, answer } = upload({ "content-range": "bytes 0-4095/4096", "content-length": "4096" });
    sent.write(Buffer.alloc(1_000));
    await looks(4);
    sent.write(Buffer.alloc(1_096));
    await looks(5);
    await until(() => use.renewals.at(-1) !== 0);
    const renewed = use.renewals.length;
    await looks(renewed + 3);
    sent.end(Buffer.alloc(2_000));
    expect((await answer).code).toBe("0");
    // The admission, and the first bytes with the head, are one sign of life each at most.
    expect(use.renewals.slice(2, 4)).toEqual([0, 0]);
    expect(use.renewals.slice(renewed, renewed + 3)).toEqual([0, 0, 0]);
  });

  test("is renewed by bytes of a body that is not a file", async () => {
    const { sent, answer } = upload(
      { "content-type": "application/json", "content-range": "", "content-length": "4000" },
      "/v1/execute/macro",
      "POST",
    );
    answer.catch(() => {});
    sent.write(" ");
    await looks(3);
    expect(use.renewals.at(-1)).toBe(0);
    sent.write(Buffer.alloc(2_000, " "));
    await until(() => use.renewals.at(-1) !== 0);
    sent.destroy();
  });

  test("is renewed by bytes that leave, and not by a client that waits", async () => {
    const { socket } = startDownload();
    socket.on("data", () => {});
    await looks(4);
    expect(use.renewals.slice(0, 4)).toEqual([1, 1, 1, 1]);
    socket.pause();
    await until(() => use.renewals.at(-1) === 0);
    socket.destroy();
    await until(() => use.readEnded);
  });

  test.each([
    ["its session ends", () => (use.hasEnded = true), 201],
    ["the right to read the file is lost", () => (use.mayRead = false), 304],
  ])("ends a download when %s", async (_title, end, code) => {
    const { socket, ended } = startDownload();
    socket.on("data", () => {});
    await looks(2);
    end();
    await ended;
    await until(() => use.readEnded);
    expect(use.observed).toMatchObject({ code });
  });

  test("ends an upload of any form when it ends", async () => {
    const chunk = upload({ "content-length": "10" });
    const form = upload({ ...formType, "content-range": "", "content-length": "1000" }, whole, "POST");
    for (const { sent } of [chunk, form]) sent.write("--");
    await looks(4);
    use.hasEnded = true;
    expect([await chunk.answer, await form.answer]).toMatchObject([{ code: "201" }, { code: "201" }]);
    for (const { sent } of [chunk, form]) sent.destroy();
    expect(use.received).toBeNull();
  });

  test("is not watched without one", async () => {
    const { socket } = raw([...patchHead.filter((line) => !line.startsWith("sessionid")), "Content-Length: 10"]);
    await until(() => use.observed !== undefined);
    socket.destroy();
    expect(use.renewals.length).toBeLessThanOrEqual(1);
  });
});
