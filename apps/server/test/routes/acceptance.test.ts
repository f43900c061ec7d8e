import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runCommand } from "@sallyport/testing/acceptance";
import { runDirectory } from "@sallyport/test-kit/run-directory/run-directory";
import { isFullRun } from "@sallyport/test-kit/scope";
import type { RunningServer } from "../../src/index.ts";
import { administrationKey } from "../administration/administration-fixture.ts";
import { certificateFor } from "../certificate-for.ts";
import { startDemoServer } from "../demo-server.ts";

const program = join(import.meta.dirname, "../../../../packages/testing/dist/acceptance/main.js");

/** Runs the command and returns its exit code and output. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let [out, err] = ["", ""];
  const stdout = { write: (text: string) => void (out += text) };
  const stderr = { write: (text: string) => void (err += text) };
  return { code: await runCommand(args, { stdout, stderr, env }), out, err };
}

/** A server of these answers while the work is done. */
async function withServer<T>(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const envelope = (internalStatus: string) => JSON.stringify({ status: { internalStatus, statusMessage: "" } });

describe("a server that cannot be tested", () => {
  test.each([
    ["a server without the demo", envelope("101"), "does not have the demo: it does not know its app key."],
    ["a server in maintenance", envelope("706"), "cannot be used: it answers 706."],
    ["a server that requires TLS", envelope("307"), "takes credentials over TLS only."],
    ["another service", "<html>", "is not this service."],
    ["another service that speaks JSON", "{}", "is not this service."],
    ["a demo with changed passwords", envelope("200"), "demo cannot log in with the password of the demo (302)."],
  ])("%s", async (_title, text, expected) => {
    const answer = ({ url }: IncomingMessage, response: ServerResponse) =>
      response.end(url === "/_CheckSession" ? text : envelope("302"));
    const { code, out, err } = await withServer(answer, (url) => run([url]));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(expected);
  });

  test("an address without a server", async () => {
    const { code, err } = await run(["http://127.0.0.1:1"]);
    expect([code, err]).toEqual([2, expect.stringMatching(/^error: No server responds at http:\/\/127\.0\.0\.1:1 \(/)]);
  });
});

test.each([
  [[], "The address of the server is missing."],
  [["localhost:8080"], "The address must begin with http:// or https://"],
  [["http://a", "http://b"], 'Unexpected argument "http://b".'],
  [["http://a", "--mode", "basic"], 'There is no mode "basic".'],
  [["http://a", "--section", "nothing"], 'There is no section "nothing".'],
  [["http://a", "--user", "ada"], "--class is missing."],
  [["http://a", "--user", "ada", "--class", "A", "--app-key", "k", "--app-name", "n"], "--password or ACCEPTANCE_"],
  [["http://a", "--nothing"], "Unknown option"],
])("refuses the arguments %j", async (args, expected) => {
  const { code, err } = await run(args);
  expect([code, err]).toEqual([2, expect.stringContaining(expected)]);
});

test("lists the checks and explains itself", async () => {
  const { out } = await run(["--list", "--section", "service"]);
  expect(out.split("\n").slice(0, 2)).toEqual(["service", "  returns its name and version"]);
  expect((await run(["--help"])).out).toContain("Usage: sallyport-acceptance <url>");
});

describe("a server with a certificate", () => {
  /** Runs the command in a process, because Node reads the authorities at its start. */
  const runProcess = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) => {
      execFile(process.execPath, [program, ...args], { env: { ...process.env, ...env } }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  const startWith = async (days: number) => {
    const folder = mkdtempSync(join(runDirectory(), "certificate-"));
    const { key, certificate } = certificateFor(days);
    const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    writeFileSync(keyFile, key, { mode: 0o600 });
    writeFileSync(certificateFile, certificate);
    const settings = { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
    const tls = { TLS_KEY_FILE: keyFile, TLS_CERTIFICATE_FILE: certificateFile };
    const server = await startDemoServer("memory", { ...settings, ...tls });
    return { server, trusting: { NODE_EXTRA_CA_CERTS: certificateFile } };
  };

  test("of an own authority passes over HTTPS, once Node knows the authority", async () => {
    const { server, trusting } = await startWith(30);
    try {
      expect(server.url).toMatch(/^https:/);
      const sections = ["service", "objects", "files", "raw HTTP"].flatMap((name) => ["--section", name]);
      const args = [server.url, "--mode", "secure", ...sections];
      const { code, out, err } = await runProcess(args, trusting);
      expect([code, err]).toEqual([0, ""]);
      expect(out).toMatch(/^✓ raw HTTP +64 passed/m);
      expect(out).toMatch(/^✓ traces +2 passed/m);
      const refused = await runProcess(args);
      expect([refused.code, refused.err]).toEqual([
        2,
        expect.stringMatching(
          /is from an unknown authority \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Name .* NODE_EXTRA_CA_CERTS\./,
        ),
      ]);
      const elsewhere = server.url.replace("127.0.0.1", "localhost");
      expect((await runProcess([elsewhere], trusting)).err).toContain("is not valid (ERR_TLS_CERT_ALTNAME_INVALID).");
    } finally {
      await server.close();
    }
  }, 60_000);

  test("that has expired cannot be tested", async () => {
    const { server, trusting } = await startWith(-1);
    try {
      expect((await runProcess([server.url], trusting)).err).toContain("is not valid (CERT_HAS_EXPIRED).");
    } finally {
      await server.close();
    }
  });
});

describe("the demo", () => {
  let server: RunningServer;
  let adminKey: string;
  beforeAll(async () => {
    server = await startDemoServer("memory", { MASTER_KEY: Buffer.alloc(32, "acceptance").toString("base64") });
    adminKey = await administrationKey(server);
  });
  afterAll(() => server.close());

  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    const { method, url = "", headers } = incoming;
    const sent = request(`${server.url}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(sent);
  };

  const account = ["--user", "demo", "--class", "Customer", "--app-key", "demo-app-key", "--app-name", "demo-app"];
  // `routes.test.ts` runs the cases; here they show that the command leaves nothing behind.
  const chosen = isFullRun
    ? []
    : ["--mode", "secure", "--section", "service", "--section", "files", "--section", "sessions"];

  test("passes and has as many objects and sessions as before", async () => {
    const json = join(runDirectory(), "acceptance.json");
    const { code, out, err } = await run([`${server.url}/`, ...chosen, "--admin-key", adminKey, "--json", json]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^✓ traces +2 passed/m);
    const report = JSON.parse(readFileSync(json, "utf8"));
    expect(report).toMatchObject({ format: "sallyport-acceptance", version: 1, url: server.url });
    expect(report.totals).toMatchObject({ failed: 0, notApplicable: 0 });
    expect(report.totals.passed).toBeGreaterThan(50);
  }, 300_000);

  test("passes for an account, in another database", async () => {
    const args = [server.url, ...account, "--alias", "second", "--mode", "session"];
    const { code, out } = await run(args, { ACCEPTANCE_PASSWORD: "demo" });
    expect(out).not.toContain("✗");
    expect(code).toBe(0);
  });

  test("tells which checks do not fit an account", async () => {
    const reader = [...account.slice(0, 1), "reader", ...account.slice(2), "--password", "reader"];
    const { code, out } = await run([server.url, ...reader, "--mode", "token", "--section", "objects"]);
    expect(code).toBe(0);
    expect(out).toContain("Not applicable: The user lacks the right to create objects of Customer.");
  });

  test("leaves out modes for which the server has no key", async () => {
    const plain = await startDemoServer("memory");
    try {
      const { code, out } = await run([
        plain.url,
        ...account,
        "--password",
        "demo",
        "--mode",
        "secure",
        "--section",
        "queries",
      ]);
      expect(code).toBe(0);
      expect(out).toContain("Not applicable: The server has no key for log-ins in secure mode.");
    } finally {
      await plain.close();
    }
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "ends after the present check at %s and leaves nothing behind",
    async (signal, expected) => {
      const json = join(runDirectory(), `acceptance-${signal}.json`);
      const args = [server.url, "--mode", "session", "--admin-key", adminKey, "--json", json];
      const command = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
      let out = "";
      command.stdout.setEncoding("utf8").on("data", (text: string) => {
        // The first section has passed, so that a session is open.
        if (!/^✓/m.test(out) && /^✓/m.test(out + text)) command.kill(signal);
        out += text;
      });
      expect(await once(command, "close")).toEqual([expected, null]);
      expect(out).toMatch(/^✓ traces +2 passed/m);
      expect(out).toMatch(/ 0 failed, .*\nInterrupted: the other checks did not run\.\n$/);
      expect(existsSync(json)).toBe(false);
    },
    60_000,
  );

  test("ends its sessions, even if it cannot write its report", async () => {
    const [logIns, logOuts] = [/\/login$/, /\/logout$/].map((path) => ({ path, count: 0 }));
    const counting = (incoming: IncomingMessage, response: ServerResponse) => {
      for (const each of [logIns, logOuts]) if (each?.path.test(incoming.url ?? "")) each.count += 1;
      forward(incoming, response);
    };
    const full = {
      write(text: string) {
        if (text.startsWith("✓")) throw new Error("The disk is full.");
      },
    };
    const [code, err] = await withServer(counting, async (url) => {
      let text = "";
      const args = [url, "--mode", "session", "--section", "objects"];
      const stderr = { write: (more: string) => void (text += more) };
      return [await runCommand(args, { stdout: full, stderr, env: {} }), text] as const;
    });
    expect([code, err]).toEqual([2, expect.stringContaining("The disk is full.")]);
    expect(logIns?.count).toBeGreaterThan(1);
    expect(logOuts?.count).toBe(logIns?.count);
  });

  test("reports a server that keeps deleted objects, and how to repeat the checks", async () => {
    // A proxy in front of the server that swallows deletions.
    const proxy = (incoming: IncomingMessage, response: ServerResponse) => {
      if (incoming.method === "DELETE")
        return response.end('{"status":{"internalStatus":"0","statusMessage":"ok"},"data":{}}');
      forward(incoming, response);
      return undefined;
    };
    const { code, out } = await withServer(proxy, (url) => run([url, "--section", "objects", "--mode", "session"]));
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ traces/m);
    expect(out).toMatch(/objects of Customer: 200 before, 20\d after/);
    expect(out).toMatch(
      /npx --package @sallyport\/testing sallyport-acceptance http:\S+ --section "objects" --mode session/,
    );
  });
});
