/**
 * Runs a command with a PgBouncer in front of the Postgres at `DATABASE_URL`. The command finds the address of PgBouncer in
 * `DATABASE_URL`, and that of Postgres in `DATABASE_DIRECT_URL`.
 *
 *     node .ci/with-pgbouncer.mjs session|transaction [setting=value …] -- command
 *
 * Each `setting=value` is a line of `pgbouncer.ini`. All connections to Postgres have the role of the address.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const given = process.argv.slice(2);
const end = given.indexOf("--");
const [mode, ...settings] = given.slice(0, end);
const [command, ...args] = given.slice(end + 1);
const direct = process.env["DATABASE_URL"];
if (end < 1 || command === undefined || !direct) {
  console.error("usage: DATABASE_URL=… node .ci/with-pgbouncer.mjs session|transaction [setting=value …] -- command");
  process.exit(2);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

async function answers(port) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await Promise.race([once(socket, "connect"), once(socket, "error")]).then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await pause(50);
  }
  throw new Error("PgBouncer does not start.");
}

const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
const file = join(folder, "pgbouncer.ini");
const port = await freePort();
const { hostname, port: serverPort, username, password } = new URL(direct);
const secret = password === "" ? "" : ` password=${decodeURIComponent(password)}`;
const lines = [
  "[databases]",
  `* = host=${hostname} port=${serverPort || 5432} user=${decodeURIComponent(username)}${secret}`,
  "[pgbouncer]",
  "listen_addr = 127.0.0.1",
  `listen_port = ${port}`,
  "unix_socket_dir =",
  "auth_type = any",
  `pool_mode = ${mode}`,
  "max_client_conn = 1000",
  // Tests use many databases, each of which has a pool.
  "server_idle_timeout = 5",
  ...settings,
];
writeFileSync(file, lines.join("\n"), { mode: 0o600 });
const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
if (user.length > 0) {
  const id = (kind) => Number(execFileSync("id", [kind, "nobody"], { encoding: "utf8" }));
  for (const path of [folder, file]) chownSync(path, id("-u"), id("-g"));
}
const pooler = spawn("pgbouncer", ["-q", ...user, file], { stdio: ["ignore", "ignore", "pipe"] });
const log = [];
pooler.stderr.on("data", (chunk) => log.push(chunk));
try {
  await Promise.race([
    answers(port),
    once(pooler, "exit").then(() => {
      throw new Error(Buffer.concat(log).toString());
    }),
  ]);
  const pooled = Object.assign(new URL(direct), { host: `127.0.0.1:${port}`, password: "" }).href;
  const child = spawn(command, args, {
    stdio: "inherit",
    env: { ...process.env, DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct },
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  [process.exitCode] = await once(child, "exit");
  process.exitCode ??= 1;
} finally {
  pooler.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
