import { createServer, type Server, type Socket, type AddressInfo } from "node:net";
import { type Mail, MailerUnusable } from "@sallyport/core";
import { SmtpMailer, type SmtpOptions } from "@sallyport/mail-smtp";
import { reply, type SmtpSink, startSmtpSink } from "@sallyport/test-kit/mail/smtp-sink";
import type { SMTPServerOptions } from "smtp-server";
import { certificateFor } from "./certificates.ts";

describe("smtp mailer", () => {
  const own = certificateFor("localhost");
  const foreign = certificateFor("elsewhere.example");

  const mail: Mail = {
    to: "somebody@example.com",
    subject: "Hello",
    text: "Text\n",
    html: "<p>Text</p>\n",
    reference: "0123456789abcdef",
  };
  const sender = { address: "no-reply@example.org", name: "Sallyport" };

  const opened: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const each of opened.splice(0).toReversed()) await each.close();
  });

  async function sink(options: SMTPServerOptions = {}): Promise<SmtpSink> {
    const started = await startSmtpSink({ hideSTARTTLS: true, ...options });
    opened.push(started);
    return started;
  }

  function mailer(port: number, options: Partial<SmtpOptions> = {}): SmtpMailer {
    const made = new SmtpMailer(
      { host: "localhost", port, security: "none", credentials: null, timeout: 2_000, ...options },
      sender,
    );
    opened.push(made);
    return made;
  }

  async function errorCodeOf(sending: Promise<unknown>): Promise<MailerUnusable> {
    const error: unknown = await sending.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MailerUnusable);
    return error as MailerUnusable;
  }

  /** A server that runs a callback for each connection and speaks no SMTP. */
  async function rawServer(onConnection: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => {
      sockets.add(socket.on("error", () => {}));
      onConnection(socket);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    opened.push({
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          server.close(() => resolve());
        }),
    });
    return (server.address() as AddressInfo).port;
  }

  test("a message arrives with both texts, from its sender and for one address", async () => {
    const relay = await sink();
    expect(
      await mailer(relay.port).send({
        ...mail,
        subject: "Grüße – 你好",
        text: "Zeile äöü\n.\nnach dem Punkt\n",
        html: "<p>äöü</p>\n",
      }),
    ).toEqual({ kind: "sent" });
    const [received] = relay.received;
    expect([received?.from, received?.to]).toEqual(["no-reply@example.org", ["somebody@example.com"]]);
    expect(received?.headers.get("from")).toEqual(["Sallyport <no-reply@example.org>"]);
    expect(received?.headers.get("to")).toEqual(["somebody@example.com"]);
    expect(received?.headers.get("subject")).toEqual(["Grüße – 你好"]);
    expect(received?.headers.get("message-id")).toEqual(["<0123456789abcdef@example.org>"]);
    expect(received?.headers.get("auto-submitted")).toEqual(["auto-generated"]);
    expect(received?.bodies.get("text/plain")?.trimEnd()).toBe("Zeile äöü\r\n.\r\nnach dem Punkt");
    expect(received?.bodies.get("text/html")?.trimEnd()).toBe("<p>äöü</p>");
    expect(received?.raw).toMatch(/^[\x20-\x7e\r\n\t]*$/);
  });

  test("connections are kept for several messages", async () => {
    const relay = await sink();
    const sending = mailer(relay.port);
    for (let round = 0; round < 5; round += 1) await sending.send(mail);
    expect([relay.received.length, relay.connections]).toEqual([5, 1]);
  });

  describe("encryption", () => {
    test("uses STARTTLS before everything else", async () => {
      const relay = await sink({ hideSTARTTLS: false, key: own.key, cert: own.certificate });
      expect(await mailer(relay.port, { security: "startTls", authorities: own.certificate }).send(mail)).toEqual({
        kind: "sent",
      });
      expect(relay.received[0]?.raw).not.toBe(undefined);
    });

    test("uses TLS from the first byte", async () => {
      const relay = await sink({ secure: true, key: own.key, cert: own.certificate });
      expect(await mailer(relay.port, { security: "tls", authorities: own.certificate }).send(mail)).toEqual({
        kind: "sent",
      });
    });

    test("sends neither message nor password to a relay without STARTTLS", async () => {
      let asked = 0;
      const onAuth: NonNullable<SMTPServerOptions["onAuth"]> = (_auth, _session, callback) => {
        asked += 1;
        callback(null, { user: "me" });
      };
      const relay = await sink({ allowInsecureAuth: true, onAuth, disabledCommands: ["STARTTLS"] });
      const credentials = { user: "me", password: "secret" };
      expect((await errorCodeOf(mailer(relay.port, { security: "startTls", credentials }).send(mail))).errorCode).toBe(
        "tls",
      );
      expect([asked, relay.received]).toEqual([0, []]);
    });

    test.each([
      ["is self-signed", own, undefined],
      ["names another host", foreign, foreign.certificate],
    ])("refuses a certificate that %s", async (_what, { key, certificate }, authorities) => {
      for (const security of ["tls", "startTls"] as const) {
        const relay = await sink({ secure: security === "tls", hideSTARTTLS: false, key, cert: certificate });
        const { errorCode } = await errorCodeOf(
          mailer(relay.port, { security, ...(authorities === undefined ? {} : { authorities }) }).send(mail),
        );
        expect([security, errorCode, relay.received]).toEqual([security, "tls", []]);
      }
    });
  });

  describe("authentication", () => {
    const onAuth: NonNullable<SMTPServerOptions["onAuth"]> = ({ username, password }, _session, callback) =>
      username === "me" && password === "right"
        ? callback(null, { user: "me" })
        : callback(reply(535, "5.7.8 you said wrong"));
    const options: SMTPServerOptions = { authOptional: false, allowInsecureAuth: true, onAuth };

    test("succeeds with the right password", async () => {
      const relay = await sink(options);
      expect(await mailer(relay.port, { credentials: { user: "me", password: "right" } }).send(mail)).toEqual({
        kind: "sent",
      });
    });

    test("fails with the wrong one, which is in no error", async () => {
      const relay = await sink(options);
      const error = await errorCodeOf(
        mailer(relay.port, { credentials: { user: "me", password: "wr0ng-secret" } }).send(mail),
      );
      expect([error.errorCode, error.message]).toEqual(["authentication", expect.stringContaining("535")]);
      expect(JSON.stringify([error.message, error.stack])).not.toMatch(/wr0ng|you said/);
    });

    test("reports missing credentials as a failure of the relay, not of the message", async () => {
      const relay = await sink(options);
      expect((await errorCodeOf(mailer(relay.port).send(mail))).errorCode).toBe("authentication");
    });
  });

  describe("relay reply", () => {
    const atRcpt = (code: number, message: string): SMTPServerOptions => ({
      onRcptTo: (_address, _session, callback) => callback(reply(code, message)),
    });
    const atData = (code: number, message: string): SMTPServerOptions => ({
      onData: (stream, _session, callback) => {
        stream.resume();
        stream.on("end", () => callback(reply(code, message)));
      },
    });
    const atMail = (code: number, message: string): SMTPServerOptions => ({
      onMailFrom: (_address, _session, callback) => callback(reply(code, message)),
    });

    test.each([
      [
        "550 to an address",
        atRcpt(550, "5.1.1 <somebody@example.com> unknown"),
        { kind: "rejected", reply: "550 5.1.1" },
      ],
      ["553 to an address", atRcpt(553, "never heard of"), { kind: "rejected", reply: "553" }],
      ["554 to contents", atData(554, "5.7.1 spam"), { kind: "rejected", reply: "554 5.7.1" }],
      ["450 to an address", atRcpt(450, "4.2.0 greylisted, come back"), { kind: "deferred", reply: "450 4.2.0" }],
      ["452 to an address", atRcpt(452, "mailbox full"), { kind: "deferred", reply: "452" }],
      ["451 to contents", atData(451, "4.3.0 try later"), { kind: "deferred", reply: "451 4.3.0" }],
    ])("%s concerns this message", async (_what, options, outcome) => {
      const relay = await sink(options);
      expect(await mailer(relay.port).send(mail)).toEqual(outcome);
    });

    test.each([
      ["421 to an address", atRcpt(421, "shutting down"), "unreachable"],
      ["421 to contents", atData(421, "shutting down"), "unreachable"],
      ["530 to an address", atRcpt(530, "log in first"), "authentication"],
      ["550 to the sender", atMail(550, "5.1.8 unknown sender"), "sender"],
      ["451 to the sender", atMail(451, "busy"), "sender"],
      [
        "421 to a connection",
        { onConnect: (_session: unknown, callback: (error?: Error) => void) => callback(reply(421, "too many")) },
        "unreachable",
      ],
    ])("%s concerns all messages", async (_what, options, trouble) => {
      const relay = await sink(options);
      expect((await errorCodeOf(mailer(relay.port).send(mail))).errorCode).toBe(trouble);
    });

    test("continues with the next address after a refused one", async () => {
      const relay = await sink({
        onRcptTo: ({ address }, _session, callback) => callback(address.startsWith("good") ? null : reply(550, "no")),
      });
      const sending = mailer(relay.port);
      const outcomes = [];
      for (const to of ["bad@example.com", "good@example.com"])
        outcomes.push((await sending.send({ ...mail, to })).kind);
      expect([outcomes, relay.received.length]).toEqual([["rejected", "sent"], 1]);
    });
  });

  describe("a relay that", () => {
    test("does not exist", async () => {
      const relay = await startSmtpSink();
      await relay.close();
      const error = await errorCodeOf(mailer(relay.port).send(mail));
      expect([error.errorCode, error.message]).toEqual(["unreachable", expect.stringContaining("ECONNREFUSED")]);
    });

    test("hangs before its greeting", async () => {
      const port = await rawServer(() => {});
      expect((await errorCodeOf(mailer(port, { timeout: 200 }).send(mail))).errorCode).toBe("timeout");
    });

    test("hangs in the middle of a message", async () => {
      const relay = await sink({ onData: (stream) => void stream.resume() });
      expect((await errorCodeOf(mailer(relay.port, { timeout: 200 }).send(mail))).errorCode).toBe("timeout");
    });

    test("disconnects in the middle of a message, which is not sent again by itself", async () => {
      let attempts = 0;
      const port = await rawServer((socket) => {
        socket.write("220 here\r\n");
        socket.on("data", (data) => {
          for (const line of String(data).split("\r\n")) {
            if (line.startsWith("EHLO")) socket.write("250 here\r\n");
            else if (/^(?:MAIL|RCPT)/.test(line)) socket.write("250 ok\r\n");
            else if (line.startsWith("DATA")) {
              attempts += 1;
              socket.write("354 go on\r\n");
            } else if (line === ".") socket.destroy();
          }
        });
      });
      expect((await errorCodeOf(mailer(port).send(mail))).errorCode).toBe("unreachable");
      expect(attempts).toBe(1);
    });

    test("speaks another protocol", async () => {
      const port = await rawServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
      expect(["answer", "unreachable"]).toContain((await errorCodeOf(mailer(port).send(mail))).errorCode);
    });

    test("never stops talking", async () => {
      const port = await rawServer((socket) => {
        socket.write("220-");
        const chunk = "x".repeat(65_536);
        const writeEndlessly = () => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on("drain", writeEndlessly);
        writeEndlessly();
      });
      expect((await errorCodeOf(mailer(port, { timeout: 500 }).send(mail))).errorCode).toMatch(/answer|timeout/);
    });
  });

  describe("addresses", () => {
    test.each([
      ["somebody@bücher.example", "somebody@xn--bcher-kva.example"],
      ["o'brien+tag@example.com", "o'brien+tag@example.com"],
      ["jürgen@example.com", "jürgen@example.com"],
    ])("%s is sent to as %s", async (to, written) => {
      const relay = await sink();
      expect(await mailer(relay.port).send({ ...mail, to })).toEqual({ kind: "sent" });
      // The relay of these tests shows domains in their readable form, on the envelope.
      expect([relay.received[0]?.to, relay.received[0]?.headers.get("to")]).toEqual([[to], [written]]);
    });

    test.each([
      "",
      "nobody",
      "@example.com",
      "a@",
      "a@b, c@d",
      "a@b;c@d",
      "a@b c@d",
      "Name <a@b.example>",
      "<a@b.example>",
      "a@b.example\r\nRCPT TO:<evil@example.com>",
      "a@b.example\nBcc: evil@example.com",
      "a@b.example\u2028Bcc: evil@example.com",
      "a@b.example\u0000",
      "a(comment)@b.example",
      '"a b"@b.example',
      '"a@evil.example"@b.example',
      "a@[127.0.0.1]",
      "a..b@example.com",
      ".a@example.com",
      "a@-b.example",
      "a@b..example",
      "a\u202e@example.com",
      "a\u200b@example.com",
      `${"a".repeat(65)}@example.com`,
      `a@${"b".repeat(64)}.example`,
      `a@${"b.".repeat(150)}example`,
    ])("%j is refused without a connection", async (to) => {
      const relay = await sink();
      expect(await mailer(relay.port).send({ ...mail, to })).toEqual({ kind: "rejected", reply: "address" });
      expect([relay.connections, relay.received]).toEqual([0, []]);
    });
  });

  describe("headers", () => {
    test.each([
      ["a line break", "Hello\r\nBcc: evil@example.com", "Hello Bcc: evil@example.com"],
      ["a lone line feed", "Hello\nX-Evil: 1", "Hello X-Evil: 1"],
      ["a lone carriage return", "Hello\rX-Evil: 1", "Hello X-Evil: 1"],
      ["a line separator", "Hello\u2028\u2029X-Evil: 1", "Hello X-Evil: 1"],
      ["a change of direction", "Hello \u202eevil", "Hello evil"],
      ["a zero", "Hello\0evil", "Hello evil"],
      ["an encoded word", "=?utf-8?Q?a=0D=0ABcc:_evil@example.com?=", "=?utf-8?Q?a=0D=0ABcc:_evil@example.com?="],
      ["two thousand characters", "ä".repeat(2_000), `${"ä".repeat(199)}…`],
    ])("a subject with %s stays one header", async (_what, subject, shown) => {
      const relay = await sink();
      await mailer(relay.port).send({ ...mail, subject });
      const [received] = relay.received;
      expect(received?.to).toEqual(["somebody@example.com"]);
      expect([received?.headers.has("bcc"), received?.headers.has("x-evil")]).toEqual([false, false]);
      if (!subject.startsWith("=?")) expect(received?.headers.get("subject")).toEqual([shown]);
      for (const line of received?.raw.split("\r\n") ?? []) expect(line.length).toBeLessThanOrEqual(998);
    });

    test.each([
      "Evil\r\nBcc: evil@example.com",
      'Evil" <evil@example.com>, "',
      "Evil <evil@example.com>",
      "Evil, evil@example.com",
    ])("a sender called %j adds no recipient", async (name) => {
      const relay = await sink();
      const sending = new SmtpMailer(
        { host: "localhost", port: relay.port, security: "none", credentials: null, timeout: 2_000 },
        { ...sender, name },
      );
      opened.push(sending);
      expect(await sending.send(mail)).toEqual({ kind: "sent" });
      const [received] = relay.received;
      expect([received?.from, received?.to, received?.headers.has("bcc")]).toEqual([
        "no-reply@example.org",
        ["somebody@example.com"],
        false,
      ]);
      expect(received?.headers.get("from")?.[0]).toMatch(/<no-reply@example\.org>$/);
    });
  });

  test("closing waits for messages in progress, and sends nothing more", async () => {
    const relay = await sink();
    const sending = mailer(relay.port);
    const sent = Promise.all([1, 2, 3, 4, 5].map(() => sending.send(mail)));
    await sending.close();
    expect(await sent).toHaveLength(5);
    expect(relay.received).toHaveLength(5);
    expect((await errorCodeOf(sending.send(mail))).errorCode).toBe("unreachable");
  });
});
